import type { Budget, BudgetStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { countOf, statement } from "../database/statement.js";
import { type EventParameters, mark, toEventParameters, writeEvents } from "./transition-writer.js";

/** The columns of the budgets. */
interface Budgets {
  readonly keys: readonly string[];
  readonly limits: readonly number[];
  readonly windows: readonly number[];
  readonly refuse: readonly boolean[];
  readonly spareKeys: readonly (string | null)[];
  readonly spareWindows: readonly (number | null)[];
  readonly spareBelow: readonly (number | null)[];
}

interface Reservation extends Budgets, EventParameters {
  readonly reservationId: string;
  readonly now: number;
  readonly deviceId: string;
  /** The event's details for each budget. */
  readonly alarms: readonly string[];
}

const reserve = statement<Reservation, { retryAt: number | null }>(
  `WITH tried AS MATERIALIZED (
     SELECT retry_at, spent FROM device_gateway.reserve_try(@reservationId, @now, @keys, @limits,
       @windows, @refuse, @spareKeys, @spareWindows, @spareBelow)
   ), ${mark},
   spent AS (
     SELECT @deviceId::text AS device_id, (@alarms::text[])[unnest(spent)] AS details FROM tried
   ), logged AS (${writeEvents("spent", "spent.details")})
   SELECT retry_at AS "retryAt" FROM tried`,
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

/** `reserve` and `refund` are idempotent, so they run as `read`, which may repeat them. */
export function createBudgetStore({ change, read }: Connection): BudgetStore {
  return {
    reserve: ({ reservationId, budgets, now, event }) =>
      read(async (session) => {
        const [tried] = await reserve(session, {
          ...toColumns(budgets),
          ...toEventParameters(event),
          reservationId,
          now,
          deviceId: event.deviceId,
          alarms: budgets.map(({ key }) => JSON.stringify({ ...event.details, budget: key })),
        });
        const retryAt = tried?.retryAt ?? null;
        return retryAt === null
          ? { kind: "reserved", reservationId }
          : { kind: "refused", retryAt };
      }),

    refund: (reservationId) =>
      read(async (session) => {
        await remove(session, { reservationId });
      }),

    prune: (input) => change(async (session) => countOf(await prune(session, input))),
  };
}

const toColumns = (budgets: readonly Budget[]): Budgets => ({
  keys: budgets.map(({ key }) => key),
  limits: budgets.map(({ limit }) => limit),
  windows: budgets.map(({ windowMs }) => windowMs),
  refuse: budgets.map(({ whenSpent }) => whenSpent === "refuse"),
  spareKeys: budgets.map(({ unless }) => unless?.key ?? null),
  spareWindows: budgets.map(({ unless }) => unless?.windowMs ?? null),
  spareBelow: budgets.map(({ unless }) => unless?.below ?? null),
});
