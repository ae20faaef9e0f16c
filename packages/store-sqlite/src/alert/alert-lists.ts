import {
  type Alert,
  type AlertPage,
  type AlertRow,
  type AlertStore,
  nextTurn,
  toAlert,
  toAlertPage,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import { erasedAlertsUpTo, isKeptAlert } from "../device/erased-alerts.js";

/** Subjects whose firing alerts are read in one turn of the event loop. Each may have one of each rule. */
const subjectsAtOnce = 8;
/** Alerts that a list examines in one turn of the event loop if those before were erased. */
const alertsAtOnce = 500;

interface ListedRow extends AlertRow {
  /** 0: the alert was erased. */
  readonly is_kept: 0 | 1;
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

function prepareLists(database: Database) {
  const select = <Row = AlertRow>(condition: string, from = "* FROM alerts") =>
    database.prepare<[AlertPage], Row>(
      `SELECT ${from} WHERE owner_id IS @ownerId AND ${condition}
         AND (fired_at, id) < (@firedAt, @id)
       ORDER BY fired_at DESC, id DESC LIMIT @limit`,
    );
  const ofAny = "@deviceId IS NULL";
  const ofDevice = "device_id = @deviceId";
  return {
    /** Also reads erased alerts, which may be any number in a row. */
    all: select<ListedRow>(ofAny, `*, ${isKeptAlert} AS is_kept FROM alerts`),
    firing: select(`${ofAny} AND cleared_at IS NULL`),
    device: select(
      `${ofDevice} AND fired_at > ${erasedAlertsUpTo("@deviceId", "@ownerId")}`,
      "* FROM alerts INDEXED BY alerts_by_device_and_owner",
    ),
    // Sorts the few firing alerts. An index in the order of the list would also contain all cleared alerts, or those of
    // other devices.
    deviceFiring: select(
      `subject = @deviceId AND ${ofDevice} AND cleared_at IS NULL`,
      "* FROM alerts INDEXED BY alerts_firing",
    ),
  };
}

/** Creates the lists of alerts. */
export function createAlertLists({
  database,
  read,
  runSteps,
  readStep,
}: Connection): Pick<AlertStore, "list" | "firing"> {
  const lists = prepareLists(database);
  const firing = database.prepare<[string], AlertRow>(
    "SELECT * FROM alerts WHERE subject = ? AND cleared_at IS NULL",
  );

  /** Lists the alerts of all devices in steps, because any number of erased ones may be among them. */
  async function listAll(page: AlertPage): Promise<Alert[]> {
    const found: Alert[] = [];
    for (let step = page; ; ) {
      const rows = await readStep(() => lists.all.all(step));
      const kept = rows.filter((row) => row.is_kept === 1);
      found.push(...kept.slice(0, page.limit - found.length).map(toAlert));
      const last = rows.at(-1);
      const isEnd = last === undefined || rows.length < step.limit;
      if (isEnd || found.length === page.limit) return found;
      step = { ...page, firedAt: last.fired_at, id: last.id, limit: alertsAtOnce };
      await nextTurn();
    }
  }

  return {
    list: (query) => {
      const page = toAlertPage(query);
      if (page.deviceId === null && !query.firing) return runSteps(() => listAll(page));
      const ofOne = query.firing ? lists.deviceFiring : lists.device;
      const list = page.deviceId === null ? lists.firing : ofOne;
      return read(() => list.all(page).map(toAlert));
    },

    firing: (subjects) =>
      runSteps(async () => {
        const rest = [...new Set(subjects)];
        const found: Alert[] = [];
        while (rest.length > 0) {
          const some = rest.splice(0, subjectsAtOnce);
          const alerts = await readStep(() =>
            some.flatMap((subject) => firing.all(subject).map(toAlert)),
          );
          found.push(...alerts);
          if (rest.length > 0) await nextTurn();
        }
        return found.sort(byId);
      }),
  };
}
