import type { Budget, BudgetStore } from "@device-gateway/core/store";
import { lockClasses } from "./commit-order.js";
import type { Connection } from "./connection.js";
import { type Session, statement } from "./statement.js";
import { type EventParameters, mark, tell, toEventParameters } from "./transition-writer.js";

interface Window {
  readonly key: string;
  readonly windowMs: number;
  readonly bound: number;
}

interface Tries {
  readonly count: number;
  /** When the try was that must leave the window before fewer than `bound` count; null: fewer do now. */
  readonly inTheWay: number | null;
}

/** In one order everywhere, so that two tries never wait for each other. */
const lockKeys = statement<{ keys: readonly string[] }, object>(
  `SELECT pg_advisory_xact_lock(${lockClasses.budget}, hash)
   FROM (SELECT DISTINCT hashtext(key) AS hash FROM unnest(@keys::text[]) AS key ORDER BY hash) AS h`,
);
const look = statement<
  { keys: readonly string[]; after: readonly number[]; bounds: readonly number[] },
  Tries
>(
  `SELECT (SELECT count(*) FROM device_gateway.budget_tries AS t
       WHERE t.key = w.key AND t.at > w.after) AS count,
     (SELECT t.at FROM device_gateway.budget_tries AS t WHERE t.key = w.key AND t.at > w.after
       ORDER BY t.at DESC LIMIT 1 OFFSET w.bound - 1) AS "inTheWay"
   FROM unnest(@keys::text[], @after::bigint[], @bounds::bigint[])
     WITH ORDINALITY AS w (key, after, bound, place)
   ORDER BY w.place`,
);
const insert = statement<{ keys: readonly string[]; now: number; reservationId: string }, object>(
  `INSERT INTO device_gateway.budget_tries (key, at, reservation_id)
   SELECT unnest(@keys::text[]), @now, @reservationId ON CONFLICT DO NOTHING`,
);
const report = statement<EventParameters & { deviceId: string; spent: readonly string[] }, object>(
  `WITH ${mark},
   spent AS (SELECT @deviceId AS device_id, unnest(@spent::text[]) AS told),
   told AS (${tell("spent", "told")})
   SELECT`,
);
const remove = statement<{ reservationId: string }, object>(
  "DELETE FROM device_gateway.budget_tries WHERE reservation_id = @reservationId",
);
const prune = statement<{ before: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT DISTINCT reservation_id, at FROM device_gateway.budget_tries
     WHERE at < @before ORDER BY at, reservation_id LIMIT @limit
   ), gone AS (
     DELETE FROM device_gateway.budget_tries
     WHERE reservation_id IN (SELECT reservation_id FROM old) RETURNING 1
   )
   SELECT count(*) AS count FROM old`,
);

export function createBudgetStore({ change, write }: Connection): BudgetStore {
  return {
    reserve: ({ reservationId, budgets, now, event }) =>
      write(async (session) => {
        const tries = await lookAll(session, budgets, now);
        const refusals = budgets.flatMap((budget) => refusedUntil(budget, tries) ?? []);
        if (refusals.length > 0) return { kind: "refused", retryAt: Math.max(...refusals) };
        const counted = budgets.filter(
          (budget) => budget.whenSpent === "refuse" || countOf(budget, tries) < budget.limit,
        );
        await insert(session, { keys: counted.map(({ key }) => key), now, reservationId });
        const spent = counted
          .filter((budget) => countOf(budget, tries) + 1 === budget.limit)
          .map(({ key }) => JSON.stringify({ ...event.details, budget: key }));
        if (spent.length > 0) {
          const parameters = { deviceId: event.deviceId, spent, ...toEventParameters(event) };
          await report(session, parameters);
        }
        return { kind: "reserved", reservationId };
      }),

    refund: (reservationId) =>
      change(async (session) => {
        await remove(session, { reservationId });
      }),

    prune: (input) =>
      change(async (session) => {
        const [row] = await prune(session, input);
        return row?.count ?? 0;
      }),
  };
}

const windowOf = ({ key, windowMs, limit }: Budget): Window => ({ key, windowMs, bound: limit });
const nameOf = ({ key, windowMs, bound }: Window): string => JSON.stringify([key, windowMs, bound]);

/** Looks at every window that matters, with its keys locked until the transaction ends. */
async function lookAll(
  session: Session,
  budgets: readonly Budget[],
  now: number,
): Promise<ReadonlyMap<string, Tries & Window>> {
  const windows = budgets.flatMap(({ unless, ...budget }) => [
    windowOf(budget),
    ...(unless ? [{ key: unless.key, windowMs: unless.windowMs, bound: unless.below }] : []),
  ]);
  const keys = windows.map(({ key }) => key);
  await lockKeys(session, { keys });
  const after = windows.map(({ windowMs }) => now - windowMs);
  const rows = await look(session, { keys, after, bounds: windows.map(({ bound }) => bound) });
  return new Map(
    windows.map((window, place) => [
      nameOf(window),
      { ...window, ...(rows[place] ?? { count: 0, inTheWay: null }) },
    ]),
  );
}

const countOf = (budget: Budget, tries: ReadonlyMap<string, Tries>): number =>
  tries.get(nameOf(windowOf(budget)))?.count ?? 0;

/** When fewer than its bound of tries will count in a window; null if they do now. */
function freeAt(window: Window, tries: ReadonlyMap<string, Tries>): number | null {
  const inTheWay = tries.get(nameOf(window))?.inTheWay ?? null;
  return inTheWay === null ? null : inTheWay + window.windowMs;
}

/** Until when a budget refuses; null if it does not. */
function refusedUntil({ unless, ...budget }: Budget, tries: ReadonlyMap<string, Tries>) {
  if (budget.whenSpent === "report") return null;
  const spentUntil = freeAt(windowOf(budget), tries);
  if (spentUntil === null || unless === undefined) return spentUntil;
  const unsparedUntil = freeAt({ ...unless, bound: unless.below }, tries);
  return unsparedUntil === null ? null : Math.min(spentUntil, unsparedUntil);
}
