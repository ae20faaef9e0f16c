import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../fleet.js";
import type { JsonObject } from "../../record.js";
import { answersOf, type Contender, type SpeedSetup, startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import { startServer } from "../server-process.js";
import type { StoredSamples } from "../servers/victoria-metrics-process.js";
import type { SpeedCase } from "../speed-case.js";
import { recordFiles } from "./record-files.js";

/** Returns a record's numbers and booleans in Influx line protocol, which has no nested values: `cellVoltages.0.voltage=3.2`. */
function toLine(deviceId: string, record: JsonObject): string {
  const fields: string[] = [];
  const collect = (value: JsonObject, prefix: string) => {
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === "number") fields.push(`${prefix}${name}=${one}`);
      else if (typeof one === "boolean") fields.push(`${prefix}${name}=${Number(one)}`);
      else if (one !== null && typeof one === "object") {
        collect(one as JsonObject, `${prefix}${name}.`);
      }
    }
  };
  collect(record, "");
  return `telemetry,deviceId=${deviceId} ${fields.join(",")}`;
}

/** Starts VictoriaMetrics, with the same records as line protocol. */
async function startVictoriaMetrics({ servers, folder, fleet }: SpeedSetup): Promise<Contender> {
  const own = join(folder, "victoria-metrics");
  mkdirSync(own);
  const { deviceIds, devicesFile } = fleet;
  const bodies = join(folder, "records.lines");
  const lines = Array.from({ length: Math.ceil(deviceIds.length * 1.2) }, (_, n) =>
    toLine(
      deviceIds[n % deviceIds.length] as string,
      recordOf(n, Date.UTC(2026, 0, 1) + n * 60_000),
    ),
  );
  writeFileSync(bodies, `${lines.join("\n")}\n`);
  const server = await startServer(servers.program("victoria-metrics"), { folder: own });
  return {
    ...{ name: "VictoriaMetrics", server, stores: true, next: 0, mayBreakOff: 0 },
    files: { devices: devicesFile, bodies, path: "/write", recordsPerRequest: 1 },
    databaseCpuUs: () => 0,
    async finish() {
      const records = answersOf(await server.usage());
      const { samples, series, bytes } = await server.ask<StoredSamples>("stored");
      await server.end();
      return [
        `VictoriaMetrics: ${records.toLocaleString("en")} requests, ${Math.round(samples / records)} samples each in ${series.toLocaleString("en")} time series, ${Math.round(bytes / records)} bytes on disk for each record.`,
      ];
    },
  };
}

/** Compares the gateway with a database that is made for time series, as a yardstick without a goal. */
export const yardstick: SpeedCase = {
  title: "Yardstick: VictoriaMetrics takes the same records",
  async run(setup, options) {
    const files = recordFiles(setup);
    const contenders = [
      await startGateway(setup, { name: "gateway", mount: options.mount, files }),
      await startVictoriaMetrics(setup),
    ];
    const lines = await measureLoads(contenders, { ...options, connections: 64 });
    const notes = await finishAll(contenders);
    return [{ title: yardstick.title, lines, notes }];
  },
};
