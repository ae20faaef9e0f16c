import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

interface ProcessFacts {
  readonly name: string;
  readonly parent: number;
  /** CPU in clock ticks, including children that have ended. */
  readonly ticks: number;
}

/** Reads /proc/<pid>/stat (proc_pid_stat(5)). Returns undefined if the process or the file does not exist. */
function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const number = (at: number) => Number(fields[at]);
    // Fields 4 (parent) and 14 to 17 (utime, stime, cutime, cstime). Index 0 is field 3.
    return { name, parent: number(1), ticks: number(11) + number(12) + number(13) + number(14) };
  } catch {
    return undefined;
  }
}

/** Whether a process with this id and name runs on this machine. */
export const isRunning = (pid: number, name: string): boolean => factsOf(pid)?.name === name;

/** Returns a meter of the CPU of a process and all its children, ended ones included, in µs. */
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
