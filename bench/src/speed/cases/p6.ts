import { createLines, spread } from "../../measure.js";
import { askPaths, chartRound, p95, readChart, startIngest } from "../chart-rounds.js";
import { checkChart, longChart, monthChart, pathOf, scanRows } from "../charts.js";
import { startGateway } from "../contender.js";
import { generatorCore } from "../machine/cores.js";
import { measureLoads } from "../measure-loads.js";
import { registerTemplate } from "../seed/seed-fleet.js";
import { checkHistory, planHistory } from "../seed/seed-history.js";
import { seedStore } from "../seed/seed-store.js";
import { startServer } from "../server-process.js";
import type { SpeedCase } from "../speed-case.js";
import { openPlace } from "../store/store-place.js";
import { missingLoadNotes, shareOf, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const ingestShare = 0.3;

/** Compares charts during ingest with the cheapest response, and with raw rows. */
export const p6: SpeedCase = {
  title: "P6: charts of at most 300 buckets during ingest",
  async run(setup, options) {
    const { repeats, progress } = options;
    const files = recordFiles(setup);
    const { history, sets } = planHistory(options.records);
    const fleet = { make: registerTemplate, deviceIds: setup.fleet.deviceIds.toSorted() };
    const place = await seedStore(setup.host, "history", [fleet, ...sets], progress);
    const bytes = await setup.host.bytesAt(place);
    const store = await openPlace(place);
    await checkHistory(store, history);
    const contender = await startGateway(setup, {
      name: "gateway",
      mount: "listener",
      files,
      place,
    });
    const probe = await startServer(setup.servers.program("probe"), {}, [], generatorCore);
    const { add, all } = createLines();
    const { owner: token } = history;
    const [month, long] = [monthChart(history), longChart(history)];

    const [most] = await measureLoads([contender], { ...options, connections: 64 });
    const perSecond = spread(most?.values.get("gateway") ?? []).median * ingestShare;
    const ingest = startIngest(contender, perSecond);
    await chartRound(probe, contender, month, token);
    for (let repeat = 0; repeat < repeats; repeat++) {
      progress(`charts: round ${repeat + 1} of ${repeats}`);
      const taken = await chartRound(probe, contender, month, token);
      add("p50 under load", "ms", "/healthz", spread(taken.health).median, true);
      add("p50 under load", "ms", "chart", spread(taken.chart).median, true);
      add("p95 under load", "ms", "/healthz", p95(taken.health), true);
      add("p95 under load", "ms", "chart", p95(taken.chart), true);
    }
    const arrived = await ingest.end();
    add("ingest", "1/s", contender.name, arrived.perSecond, true);

    const buckets: number[] = [];
    for (const chart of [month, long]) {
      buckets.push(checkChart(chart, await readChart(contender, chart, token)));
    }
    const { interval } = await readChart(contender, long, token);
    for (let repeat = 0; repeat < Math.min(3, repeats); repeat++) {
      progress(`raw rows: round ${repeat + 1}`);
      const [charts = []] = await askPaths(probe, contender, {
        ...{ paths: [pathOf(long)], token },
        times: 10,
      });
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
    const lines = all();
    const notes = [
      ...(await contender.finish()),
      `${history.records.toLocaleString("en")} records of ${history.monthDevices.length + 1} devices; ${arrived.records.toLocaleString("en")} more arrived at ${Math.round(arrived.perSecond)}/s. The load was ${Math.round(perSecond)}/s, ${ingestShare * 100} % of P1.`,
      ...missingLoadNotes(lines, "ingest", perSecond),
      `Records with their index and roll-ups take up ${Math.round(bytes / history.records)} bytes each.`,
      `The charts of ${history.monthDays} and ${history.longDays} days have ${buckets.join(" and ")} points; each min and max is that of a plain computation over what was sent.`,
      timesAsMuch(lines, "p95 under load", "chart", "/healthz", 5),
      shareOf(lines, `${history.longDays} days, no load`, "raw rows", "chart", 100),
    ];
    return [{ title: p6.title, lines, notes }];
  },
};
