/**
 * Runs a sink until it is killed, over the SQLite file or Postgres URL given as first argument, with the receiver given as
 * second. Prints how many records it has written, whenever the number changes.
 */
import { setTimeout } from "node:timers/promises";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { startTelemetrySink } from "../telemetry-sink.js";

const [, , place = "", url = ""] = process.argv;
const store = place.startsWith("postgres:")
  ? await openPostgresStore({ url: place, poolSize: 2 })
  : await openSqliteStore({ file: place });
const sink = startTelemetrySink(store, { url, pollMs: 20, timeoutMs: 500 });
for (let printed = -1; ; await setTimeout(20)) {
  const { written } = sink.readLevels();
  if (written === printed) continue;
  printed = written;
  process.stdout.write(`${written}\n`);
}
