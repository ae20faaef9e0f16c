import type { GatewayStore } from "@device-gateway/core";
import { computeTransitions, type Sent } from "./expected.js";
import { toTransition } from "./receiver.js";

const pageSize = 500;

async function readTransitions(store: GatewayStore, deviceId: string) {
  const found: { readonly transition: string; readonly alertId: string }[] = [];
  for (let after = 0; ; ) {
    const page = await store.securityEvents.list({
      ...{ after, limit: pageSize, kinds: ["alert.firing", "alert.cleared"] },
    });
    for (const { deviceId: about, kind, details } of page) {
      if (about !== deviceId) continue;
      const transition = toTransition(kind.replace("alert.", ""), details);
      found.push({ transition, alertId: String(details["alertId"]) });
    }
    const last = page.at(-1);
    if (last === undefined) return found;
    after = last.id;
  }
}

async function readAlerts(store: GatewayStore, deviceId: string) {
  const alerts = [];
  for (let before = null as { firedAt: number; id: string } | null; ; ) {
    const filter = { ownerId: null, deviceId, firing: false };
    const page = await store.alerts.list({ ...filter, before, limit: pageSize });
    alerts.push(...page);
    const last = page.at(-1);
    if (last === undefined) return alerts;
    before = { firedAt: last.firedAt, id: last.id };
  }
}

/** Returns what is wrong with the stored alerts: each record is judged once, in order, with one row for each alert. */
export async function judgeStored(
  store: GatewayStore,
  sent: ReadonlyMap<string, readonly Sent[]>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [deviceId, records] of sent) {
    const expected = computeTransitions(records);
    const events = await readTransitions(store, deviceId);
    const found = events.map(({ transition }) => transition);
    const place = expected.findIndex((one, n) => one !== found[n]);
    if (place >= 0 || found.length !== expected.length) {
      const n = place < 0 ? expected.length : place;
      const instead = `"${found[n] ?? "nothing"}" instead of "${expected[n] ?? "nothing"}"`;
      wrong.push(`${deviceId}: transition ${n} of ${expected.length} is ${instead}`);
    }
    const alerts = await readAlerts(store, deviceId);
    const rows = alerts.map(
      ({ id, clearedAt }) => `${id} ${clearedAt === null ? "fires" : "ends"}`,
    );
    const ids = new Set(events.map(({ alertId }) => alertId));
    const lastId = expected.at(-1)?.startsWith("firing") ? events.at(-1)?.alertId : undefined;
    const wanted = [...ids].map((id) => `${id} ${id === lastId ? "fires" : "ends"}`);
    if (rows.sort().join() !== wanted.sort().join())
      wrong.push(`${deviceId}: the rows of alerts differ from the event log`);
  }
  return wrong;
}
