import { createLines, type Section, spread } from "../../measure.js";
import { chartRound, p95, readChart, startIngest } from "../chart-rounds.js";
import { checkChart, monthChart } from "../charts.js";
import { type Contender, type SpeedSetup, startGateway } from "../contender.js";
import type { RequestFiles } from "../fleet-requests.js";
import { generatorCore } from "../machine/cores.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import { fleetIds, writeSenders } from "../seed/seed-fleet.js";
import { checkHistory, oldRecords, planHistory, type SeededHistory } from "../seed/seed-history.js";
import { seedStore } from "../seed/seed-store.js";
import { startServer } from "../server-process.js";
import type { SpeedCase, SpeedOptions } from "../speed-case.js";
import { openPlace } from "../store/store-place.js";
import { missingLoadNotes, pairedNote } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const ingestShare = 0.3;
const goal = "goal at least 80.0 %";
const maxGoal = "goal at most 125.0 %";

interface Grown {
  readonly contender: Contender;
  readonly history: SeededHistory;
}

/** Starts a gateway with a fleet of a size. Each device has two old records; equally many devices send, whatever the size. */
async function grow(
  setup: SpeedSetup,
  options: SpeedOptions,
  devices: number,
  bodies: RequestFiles,
): Promise<Grown> {
  const { host, folder } = setup;
  const { history, sets } = planHistory(options.records);
  const deviceIds = fleetIds(devices);
  const old = oldRecords(history.end);
  options.progress(`growing to ${devices} devices`);
  const name = `devices-${devices}`;
  const place = await seedStore(
    host,
    name,
    [{ make: old.make, deviceIds }, ...sets],
    options.progress,
  );
  const store = await openPlace(place);
  await checkHistory(store, history);
  await store.close();

  // The senders are spread evenly, so their rows are not neighbours.
  const step = devices / Math.min(devices, options.devices);
  const senders = deviceIds.filter((_, n) => n % step < 1);
  const fleet = { ...setup.fleet, place, ...writeSenders(folder, senders, setup.fleet.secrets) };
  const contender = await startGateway(
    { ...setup, fleet },
    {
      name: `${devices.toLocaleString("en")} devices`,
      mount: "listener",
      files: { ...bodies, devices: fleet.devicesFile },
      place,
      recordsBefore: senders.length * old.records,
    },
  );
  return { contender, history };
}

/** Measures the same chart in both fleets, with the same ingest. */
async function measureCharts(
  setup: SpeedSetup,
  { repeats, progress }: SpeedOptions,
  grown: readonly [Grown, Grown],
  perSecond: number,
): Promise<Section> {
  const probe = await startServer(setup.servers.program("probe"), {}, [], generatorCore);
  const { add, all } = createLines();
  for (const { contender, history } of grown) {
    await chartRound(probe, contender, monthChart(history), history.owner);
  }
  for (let repeat = 0; repeat < repeats; repeat++) {
    progress(`charts: round ${repeat + 1} of ${repeats}`);
    for (const { contender, history } of repeat % 2 === 0 ? grown : grown.toReversed()) {
      const ingest = startIngest(contender, perSecond);
      const { chart } = await chartRound(probe, contender, monthChart(history), history.owner);
      const arrived = await ingest.end();
      add("p50 under load", "ms", contender.name, spread(chart).median, true);
      add("p95 under load", "ms", contender.name, p95(chart), true);
      add("ingest", "1/s", contender.name, arrived.perSecond, true);
    }
  }
  for (const { contender, history } of grown) {
    const chart = monthChart(history);
    checkChart(chart, await readChart(contender, chart, history.owner));
  }
  await probe.end();
  const lines = all();
  const [few, many] = grown.map(({ contender }) => contender.name) as [string, string];
  const notes = [
    `Charts of ${grown[0].history.monthDays} days at a load of ${Math.round(perSecond)} records a second; each min and max is that of a plain computation.`,
    ...missingLoadNotes(lines, "ingest", perSecond),
    pairedNote(lines, "p50 under load", many, few, maxGoal),
    pairedNote(lines, "p95 under load", many, few, maxGoal),
  ];
  return { title: "P8: charts", lines, notes };
}

/** Compares ingest and charts in the databases of a small and a large fleet, in pairs. */
export const p8: SpeedCase = {
  title: "P8: growth of the fleet",
  async run(setup, options) {
    const files = recordFiles(setup);
    const small = await grow(setup, options, options.devices, files);
    const large = await grow(setup, options, options.fleet, files);
    const contenders = [small.contender, large.contender];
    // An interval needs more pairs than a median.
    const repeats = options.repeats * 2;
    const lines = await measureLoads(contenders, { ...options, repeats, connections: 64 });
    const [few, many] = contenders.map(({ name }) => name) as [string, string];
    const [rates] = lines;
    const perSecond = spread(rates?.values.get(few) ?? []).median * ingestShare;
    const charts = await measureCharts(setup, { ...options, repeats }, [small, large], perSecond);
    const notes = [
      ...(await finishAll(contenders)),
      pairedNote(lines, "requests", many, few, goal),
      pairedNote(lines, "CPU of all threads", many, few, maxGoal),
    ];
    return [{ title: p8.title, lines, notes }, charts];
  },
};
