/**
 * Runs alerts over the SQLite file of the first argument at the time of the second one, twice. Prints the id of each
 * delivered notification. Kills itself at the step of the third argument, if there is one.
 */
import { writeSync } from "node:fs";
import type { GatewayStore } from "@device-gateway/core/store";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { createAlerts } from "../start-alerts.js";

const [file = "", time = "", step = "none"] = process.argv.slice(2);

/** Kills this process before or after the call of a method. */
function dieAt(name: string, alerts: GatewayStore["alerts"]): GatewayStore["alerts"] {
  const die = () => process.kill(process.pid, "SIGKILL");
  const [when, method] = name.split(" ") as ["before" | "after", "judge" | "settleNotification"];
  if (!(method in alerts)) return alerts;
  const call = alerts[method] as (input: unknown) => Promise<unknown>;
  const replaced = async (input: unknown) => {
    if (when === "before") die();
    const outcome = await call(input);
    die();
    return outcome;
  };
  return { ...alerts, [method]: replaced };
}

const store = await openSqliteStore({ file });
const alerts = createAlerts({
  store: { ...store, alerts: dieAt(step, store.alerts) },
  clock: { now: () => Number(time) },
  gateway: { telemetryInterval: () => 60 },
  channels: [
    {
      name: "print",
      send: async ({ notifications }) => {
        for (const { id } of notifications) writeSync(1, `${id}\n`);
      },
    },
  ],
});
await alerts.runOnce();
await alerts.runOnce();
await store.close();
