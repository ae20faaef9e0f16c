import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";

const schedulerFile = "/proc/self/schedstat";
const samplingUs = 500;

/** Returns the CPU time of the main thread so far in ms. Without Linux's scheduler statistics, that of all threads. */
function mainThreadMs(): number {
  // This call also makes the kernel update the file that is read below.
  const { user, system } = process.cpuUsage();
  try {
    // The first field: nanoseconds on a core (https://docs.kernel.org/scheduler/sched-stats.html).
    return Number.parseInt(readFileSync(schedulerFile, "utf8"), 10) / 1e6;
  } catch {
    return (user + system) / 1_000;
  }
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n);

/** The turns of the event loop during some work, in ms of the main thread's CPU. */
export interface Turns {
  readonly longest: number;
  readonly all: number;
  /** The functions in which the longest turn spent most of its time. */
  readonly cause: string;
}

/** Returns the functions that ran longest between two times of a profile, with their share. */
function busiest(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  from: number,
  to: number,
) {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      functionName || `${url.slice(url.lastIndexOf("/") + 1)}:${lineNumber + 1}`,
    ]),
  );
  const times = new Map<string, number>();
  let at = startTime;
  let all = 0;
  for (const [n, sample] of samples.entries()) {
    const delta = timeDeltas[n] ?? 0;
    at += delta;
    if (at < from || at > to) continue;
    const name = names.get(sample) ?? "";
    times.set(name, (times.get(name) ?? 0) + delta);
    all += delta;
  }
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, time]) => `${name} ${Math.round((100 * time) / all)} %`)
    .join(", ");
}

/** Runs work and measures each turn of the event loop until it ends. */
export async function watchTurns(work: () => Promise<unknown>): Promise<Turns> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: samplingUs });
  await session.post("Profiler.start");
  const first = mainThreadMs();
  let before = { cpu: first, us: nowUs() };
  let longest = { ms: 0, from: 0, to: 0 };
  let isOver = false;
  const turn = () => {
    const cpu = mainThreadMs();
    const us = nowUs();
    if (cpu - before.cpu > longest.ms) longest = { ms: cpu - before.cpu, from: before.us, to: us };
    before = { cpu, us };
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    // Waits until the last turn has been measured.
    await new Promise((resolve) => setTimeout(resolve, 5));
    isOver = true;
  }
  const all = before.cpu - first;
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return { longest: longest.ms, all, cause: busiest(profile, longest.from, longest.to) };
}
