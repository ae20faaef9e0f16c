import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

interface ProcessFacts {
  readonly name: string;
  readonly parent: number;
  /** In ticks: its own, and that of children that have ended. */
  readonly ticks: number;
}

/** What Linux tells of a process (proc_pid_stat(5)); undefined when there is none, or no such system. */
function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const number = (at: number) => Number(fields[at]);
    // Fields 4 (parent) and 14 to 17 (utime, stime, cutime, cstime), the third being the first here.
    return { name, parent: number(1), ticks: number(11) + number(12) + number(13) + number(14) };
  } catch {
    return undefined;
  }
}

/** Whether a process of that number and name runs on this machine. */
export const isRunning = (pid: number, name: string): boolean => factsOf(pid)?.name === name;

/** CPU of a process and all its children, those that have ended included, in µs so far. */
export function createCpuMeter(root: number): () => number {
  const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return () => {
    let ticks = factsOf(root)?.ticks ?? Number.NaN;
    for (const entry of readdirSync("/proc")) {
      const facts = /^\d+$/.test(entry) ? factsOf(Number(entry)) : undefined;
      if (facts?.parent === root) ticks += facts.ticks;
    }
    return (ticks / ticksPerSecond) * 1e6;
  };
}
