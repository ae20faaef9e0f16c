import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** Whether programs can be pinned to a core, so that server and generator never share one. */
export const canPin =
  availableParallelism() > 1 && spawnSync("taskset", ["-V"]).error === undefined;

export const serverCore = 0;
export const generatorCore = 1;

/** Returns the command line that runs a program on one core, if this machine can pin programs. */
export function onCore(core: number, command: string, args: readonly string[]) {
  return canPin
    ? { command: "taskset", args: ["-c", String(core), command, ...args] }
    : { command, args: [...args] };
}
