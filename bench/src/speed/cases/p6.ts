import { readFileSync } from "node:fs";
import { createLines, spread } from "../../measure.js";
import { copyPlace, newPlace, openPlace } from "../bench-store.js";
import { checkChart, longChart, monthChart, pathOf, scanRows } from "../charts.js";
import { type Contender, startGateway } from "../contender.js";
import { generatorCore } from "../cores.js";
import { driveLoad } from "../drive-load.js";
import { measureLoads } from "../measure-loads.js";
import { readDevices } from "../seed-fleet.js";
import { seedHistory } from "../seed-history.js";
import { startServer } from "../server-process.js";
import type { Probe } from "../servers/probe-process.js";
import type { SpeedCase } from "../speed-case.js";
import { shareOf, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const ingestShare = 0.3;
/** Charts in a round: a user may ask for 600 a minute. */
const chartsARound = 60;
const healthPath = "/healthz";

const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;

async function readChart({ server }: Contender, path: string, token: string) {
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
  return (await answer.json()) as { interval: string };
}

/** Charts while records come in, against the cheapest answer there is, and against raw rows. */
export const p6: SpeedCase = {
  title: "P6: charts of at most 300 buckets, while records come in",
  async run(setup, options) {
    const { repeats, progress } = options;
    const files = recordFiles(setup);
    const place = copyPlace(setup.fleet.place, newPlace(setup.kind, setup.folder, "history"));
    const store = await openPlace(place);
    const history = await seedHistory(store, options.records, progress);
    const contender = await startGateway(setup, {
      name: "gateway",
      mount: "listener",
      files,
      place,
    });
    const probe = await startServer(setup.servers.program("probe"), {}, [], generatorCore);
    const { add, all } = createLines();
    const { port } = contender.server;
    const ask = (paths: readonly string[], times: number) =>
      probe.ask<number[][]>("probe", { port, paths, token: history.owner, times } satisfies Probe);
    const [month, long] = [monthChart(history), longChart(history)];

    const [most] = await measureLoads([contender], { ...options, connections: 64 });
    const perSecond = spread(most?.values.get("gateway") ?? []).median * ingestShare;
    const ending = new AbortController();
    const load = driveLoad({
      port,
      path: files.path,
      devices: readDevices(files.devices),
      bodies: readFileSync(files.bodies, "utf8").trimEnd().split("\n"),
      connections: 64,
      perSecond,
      until: ending.signal,
    });
    await ask([healthPath, pathOf(month)], 20);
    for (let repeat = 0; repeat < repeats; repeat++) {
      progress(`charts: round ${repeat + 1} of ${repeats}`);
      const [health = [], chart = []] = await ask([healthPath, pathOf(month)], chartsARound);
      for (const [name, taken] of [
        ["/healthz", health],
        ["chart", chart],
      ] as const) {
        add("p50 under load", "ms", name, spread(taken).median, true);
        add("p95 under load", "ms", name, p95(taken), true);
      }
    }
    ending.abort();
    const sent = await load;

    const buckets = [];
    for (const chart of [month, long]) {
      buckets.push(checkChart(chart, await readChart(contender, pathOf(chart), history.owner)));
    }
    const { interval } = await readChart(contender, pathOf(long), history.owner);
    for (let repeat = 0; repeat < Math.min(3, repeats); repeat++) {
      progress(`raw rows: round ${repeat + 1}`);
      const [charts = []] = await ask([pathOf(long)], 10);
      add(`${history.longDays} days, no load`, "ms", "chart", spread(charts).median, true);
      const start = performance.now();
      await scanRows(
        store,
        long,
        Number.parseInt(interval, 10) * (interval.endsWith("d") ? 86_400_000 : 3_600_000),
      );
      add(`${history.longDays} days, no load`, "ms", "raw rows", performance.now() - start, true);
    }
    await store.close();
    await probe.end();
    await contender.server.ask("close");
    await contender.server.end();
    const lines = all();
    const notes = [
      `${history.records.toLocaleString("en")} records of ${history.monthDevices.length + 1} devices; ${sent.toLocaleString("en")} more came in at ${Math.round(perSecond)}/s, ${ingestShare * 100} % of P1.`,
      `The charts of ${history.monthDays} and ${history.longDays} days have ${buckets.join(" and ")} points; each min and max is that of a plain computation over what was sent.`,
      timesAsMuch(lines, "p95 under load", "chart", "/healthz", 5),
      shareOf(lines, `${history.longDays} days, no load`, "raw rows", "chart", 100),
    ];
    return [{ title: p6.title, lines, notes }];
  },
};
