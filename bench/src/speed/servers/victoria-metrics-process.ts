import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createCpuMeter } from "../machine/process-cpu.js";
import { answerQuestions } from "./answer-questions.js";
import type { Usage } from "./serve.js";

export interface StoredSamples {
  readonly samples: number;
  readonly series: number;
  readonly bytes: number;
}

// VictoriaMetrics, a database made for time series (Debian package `victoria-metrics`). It answers before a record is durable.
const { folder } = JSON.parse(process.argv[2] as string) as { folder: string };

const port = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
});
const flags = [
  `-storageDataPath=${folder}`,
  `-httpListenAddr=127.0.0.1:${port}`,
  "-loggerLevel=ERROR",
];
const database = spawn("victoria-metrics", flags, { stdio: ["ignore", "inherit", "inherit"] });
database.once("error", ({ message }) => {
  throw new Error(`Install Debian's package victoria-metrics: ${message}`);
});
process.once("exit", () => database.kill("SIGKILL"));

const origin = `http://127.0.0.1:${port}`;

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

const requests = 'vm_http_requests_total{path="/influx/write", protocol="influx"}';
const isUp = () =>
  fetch(`${origin}/health`).then(
    () => true,
    () => false,
  );
while (!(await isUp())) await wait(50);

const cpuUs = createCpuMeter(database.pid as number);
answerQuestions({
  usage: async (): Promise<Usage> => ({
    cpuUs: cpuUs(),
    answered: { 204: await metric(requests) },
  }),
  /** Returns the samples, the time series and the bytes on disk, after everything has been written. */
  stored: async (): Promise<StoredSamples> => {
    await fetch(`${origin}/internal/force_flush`);
    await fetch(`${origin}/internal/force_merge`);
    return {
      samples: await metric('vm_rows_inserted_total{type="influx"}'),
      series: await metric("vm_new_timeseries_created_total"),
      bytes: await metric("vm_data_size_bytes"),
    };
  },
});
process.send?.({ port });
