import { createLines, type Line } from "../measure.js";
import { answersOf, type Contender, refusalsOf } from "./contender.js";
import { writtenToDisks } from "./machine/disk-writes.js";
import { type LoadGenerator, type LoadResult, runWrk } from "./run-wrk.js";
import type { Usage } from "./servers/serve.js";

export interface LoadPlan {
  readonly repeats: number;
  /** Length of a round. Short, so that other load on the machine meets all contenders alike. */
  readonly seconds: number;
  readonly connections: number;
  readonly devices: number;
  /** Default: wrk. */
  readonly generate?: LoadGenerator;
  readonly progress: (text: string) => void;
}

/** Above this share of its core, the run would measure the generator. */
const maxGeneratorBusy = 0.8;
/** A server that is as busy as this limits the load itself, whatever the generator does. */
const limitingServerBusy = 0.9;

/** Runs a round of load. A contender without a port does the same work by itself. */
async function runLoad({ server, files, next }: Contender, plan: LoadPlan): Promise<LoadResult> {
  const { connections, seconds, generate = runWrk } = plan;
  if (server.port !== 0) {
    return generate({ port: server.port, files, connections, seconds, first: next });
  }
  const done = await server.ask<Pick<LoadResult, "requests" | "seconds">>("run", seconds);
  const idle = { p50: Number.NaN, p99: Number.NaN, failed: 0, cpuSeconds: 0 };
  return { ...done, ...idle, next: next + done.requests };
}

/** Waits until the requests that were open at the end of the generator are answered. */
async function whenQuiet({ server }: Contender): Promise<Usage> {
  let usage = await server.usage();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const later = await server.usage();
    if (answersOf(later) === answersOf(usage)) return later;
    usage = later;
  }
}

async function runRound(contender: Contender, plan: LoadPlan) {
  const { server } = contender;
  const before = await server.usage();
  const databaseBefore = contender.databaseCpuUs();
  const writtenBefore = writtenToDisks();
  const load = await runLoad(contender, plan);
  const after = await whenQuiet(contender);
  const databaseUs = contender.databaseCpuUs() - databaseBefore;
  contender.next = load.next;
  contender.mayBreakOff += plan.connections;
  const refused = contender.mayRefuse ? refusalsOf(after) - refusalsOf(before) : 0;
  if (load.failed > refused) {
    const answers = JSON.stringify(after.answered);
    throw new Error(`${contender.name}: ${load.failed} requests failed, responses ${answers}.`);
  }
  const spentUs = after.cpuUs - before.cpuUs;
  const answers = answersOf(after) - answersOf(before);
  return {
    rate: load.requests / load.seconds,
    cpu: (spentUs + databaseUs) / answers,
    databaseCpu: databaseUs / answers,
    writtenKb: (writtenToDisks() - writtenBefore) / 1e3 / answers,
    p50: load.p50,
    p99: load.p99,
    serverBusy: spentUs / 1e6 / load.seconds,
    generatorBusy: load.cpuSeconds / load.seconds,
  };
}

/**
 * Runs rounds until the code is warm and a contender that stores records has met every device. A token's first
 * check costs more, which matters for single records but not for batches.
 */
async function warmUp(contender: Contender, plan: LoadPlan): Promise<void> {
  const seconds = Math.min(2, plan.seconds);
  const mustMeet = contender.stores && contender.files.recordsPerRequest === 1;
  do {
    await runRound(contender, { ...plan, seconds });
  } while (mustMeet && contender.next < plan.devices + plan.connections);
}

/** Loads all contenders in rounds. Each round starts with another one. */
export async function measureLoads(
  contenders: readonly Contender[],
  plan: LoadPlan,
): Promise<readonly Line[]> {
  const { add, all } = createLines();
  for (const contender of contenders) {
    plan.progress(`warming up ${contender.name}`);
    await warmUp(contender, plan);
  }
  for (let repeat = 0; repeat < plan.repeats; repeat++) {
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + repeat) % contenders.length] as Contender;
      plan.progress(`round ${repeat + 1} of ${plan.repeats}: ${contender.name}`);
      const round = await runRound(contender, plan);
      const { server, files } = contender;
      const { recordsPerRequest } = files;
      const record = (what: string, unit: string, value: number) =>
        add(what, unit, contender.name, value, true);
      const compare = (what: string, unit: string, value: number) => {
        record(what, unit, value);
        add(`${what}, ratio`, "", contender.name, value);
      };
      if (recordsPerRequest === 1) compare("requests", "1/s", round.rate);
      else compare("records", "1/s", round.rate * recordsPerRequest);
      compare("CPU of all threads", "µs/request", round.cpu);
      if (round.databaseCpu > 0) record("of it the database", "µs/request", round.databaseCpu);
      if (contender.stores) record("written to disks", "kB/request", round.writtenKb);
      if (server.port !== 0) {
        record("p50", "ms", round.p50);
        record("p99", "ms", round.p99);
      }
      record("server busy", "of a core", round.serverBusy);
      if (server.port !== 0) record("generator busy", "of a core", round.generatorBusy);
      if (round.generatorBusy > maxGeneratorBusy && round.serverBusy < limitingServerBusy) {
        throw new Error(
          `The generator used ${round.generatorBusy} of its core, so it limits the load. Lower the load.`,
        );
      }
    }
  }
  return all();
}

/** Ends all contenders and returns their notes. */
export async function finishAll(contenders: readonly Contender[]): Promise<string[]> {
  const notes: string[] = [];
  for (const contender of contenders) notes.push(...(await contender.finish()));
  return notes;
}
