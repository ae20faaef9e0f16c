import { createLines, spread } from "../../measure.js";
import { answersOf, type Contender, startGateway } from "../contender.js";
import { driveLoad } from "../drive-load.js";
import { linesOf } from "../fleet-requests.js";
import { measureLoads } from "../measure-loads.js";
import { createWaitSampler } from "../sample-waits.js";
import { countRecords, readDevices } from "../seed/seed-fleet.js";
import type { SpeedCase } from "../speed-case.js";
import { missingLoadNotes, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const processCounts = [1, 2, 4];
/** Share of the highest rate of one process. A higher load would measure waiting, not work. */
const offeredShare = 0.4;
const maxLockShare = 0.01;

const nameOf = (count: number) => `${count} ${count === 1 ? "process" : "processes"}`;

const kindsOf = (waits: ReadonlyMap<string, number>) =>
  waits.size === 0 ? "" : ` (${[...waits].map(([kind, count]) => `${kind} ${count}`).join(", ")})`;

/** Measures the CPU of all server processes and Postgres at the same load on one, two and four processes. */
export const p9: SpeedCase = {
  title: "P9: server processes on one Postgres, at a fixed load",
  stores: ["postgres"],
  async run(setup, options) {
    const { host, fleet } = setup;
    const { connections = 64 } = options;
    const files = recordFiles(setup);
    const place = await host.copyPlace(fleet.place, "shared");
    const contenders: Contender[] = [];
    for (let n = 0; n < Math.max(...processCounts); n++) {
      contenders.push(
        await startGateway(setup, { name: `gateway ${n}`, mount: "listener", files, place }),
      );
    }
    const devices = readDevices(files.devices);
    const bodies = linesOf(files.bodies);
    const waits = await createWaitSampler(place);
    const [first] = contenders as [Contender];
    // All processes warm up and meet every device.
    await measureLoads(contenders, { ...options, connections, repeats: 0 });
    const plan = { ...options, connections, repeats: 2, devices: 0 };
    const [rates] = await measureLoads([first], plan);
    const offered = spread(rates?.values.get(first.name) ?? []).median * offeredShare;
    let next = Math.max(...contenders.map((contender) => contender.next));

    /** Distributes the load evenly. Each process sends the next devices in turn. */
    const load = async (servers: readonly Contender[], seconds: number) => {
      const until = AbortSignal.timeout(seconds * 1_000);
      const each = Math.ceil((offered * seconds) / servers.length) + devices.length;
      const sent = servers.map(({ server: { port } }, n) =>
        driveLoad({
          ...{ port, path: files.path, devices, bodies, until },
          connections: Math.ceil(connections / servers.length),
          perSecond: offered / servers.length,
          first: next + n * each,
        }),
      );
      next += servers.length * each;
      return (await Promise.all(sent)).reduce((sum, count) => sum + count, 0);
    };
    const totalUs = async () => {
      const usages = await Promise.all(contenders.map(({ server }) => server.usage()));
      const own = usages.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
      const database = host.cpuUs();
      return { own, database, answers: usages.reduce((sum, usage) => sum + answersOf(usage), 0) };
    };

    const { add, all } = createLines();
    const waitedFor = new Map<string, number>();
    for (const count of processCounts) await load(contenders.slice(0, count), options.seconds);
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      for (let i = 0; i < processCounts.length; i++) {
        const count = processCounts[(i + repeat) % processCounts.length] as number;
        const name = nameOf(count);
        options.progress(`round ${repeat + 1} of ${options.repeats}: ${name}`);
        const before = await totalUs();
        const sampling = waits.start();
        const start = performance.now();
        const sent = await load(contenders.slice(0, count), options.seconds);
        const seconds = (performance.now() - start) / 1_000;
        const { samples, locks } = await sampling.end();
        const after = await totalUs();
        const answers = after.answers - before.answers;
        if (answers < sent) throw new Error(`${sent} requests got ${answers} answers.`);
        const ownUs = after.own - before.own;
        const databaseUs = after.database - before.database;
        add("CPU of all processes", "µs/request", name, (ownUs + databaseUs) / sent, true);
        add("of it Postgres's", "µs/request", name, databaseUs / sent, true);
        add("requests", "1/s", name, sent / seconds, true);
        add("samples of busy sessions", "", name, samples, true);
        for (const [kind, waiting] of locks)
          waitedFor.set(kind, (waitedFor.get(kind) ?? 0) + waiting);
        const waiting = [...locks.values()].reduce((sum, count) => sum + count, 0);
        add("of them waiting for a lock", "", name, waiting, true);
      }
    }
    await waits.close();
    for (const { server } of contenders) await server.ask("close");
    const usages = await Promise.all(contenders.map(({ server }) => server.usage()));
    const answered = usages.reduce((sum, usage) => sum + (usage.answered[200] ?? 0), 0);
    for (const { server } of contenders) await server.end();
    const rows = await countRecords(fleet, place);
    if (rows !== answered) throw new Error(`${rows} rows, ${answered} acknowledged.`);
    const lines = all();
    const sumOf = (what: string) =>
      [...(lines.find((line) => line.what === what)?.values.values() ?? [])]
        .flat()
        .reduce((sum, value) => sum + value, 0);
    const [samples, locks] = [
      sumOf("samples of busy sessions"),
      sumOf("of them waiting for a lock"),
    ];
    const share = locks / Math.max(1, samples);
    const notes = [
      `${Math.round(offered)} requests a second, ${offeredShare * 100} % of the highest rate of one process. The background work of all processes counts, also of those without load.`,
      ...missingLoadNotes(lines, "requests", offered),
      `${rows.toLocaleString("en")} rows, as many as acknowledged.`,
      ...processCounts
        .slice(1)
        .map((count) => timesAsMuch(lines, "CPU of all processes", nameOf(count), nameOf(1), 1.15)),
      `${locks} of ${samples} samples of busy sessions waited for a lock${kindsOf(waitedFor)}: ${(share * 100).toFixed(2)} %; goal below 1 %: ${share < maxLockShare ? "reached" : "missed"}.`,
    ];
    return [{ title: p9.title, lines, notes }];
  },
};
