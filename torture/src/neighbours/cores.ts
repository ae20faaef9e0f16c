import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).error === undefined;

/** The command that keeps a program to one core, where the machine lets us choose. */
const onCore = (core: number): readonly string[] => (canPin ? ["taskset", "-c", String(core)] : []);

export const serverCore = onCore(0);
/** With two cores it is the honest clients' too, and the attacker gives way to them. */
export const attackerCore = [...onCore(availableParallelism() > 2 ? 2 : 1), "nice", "-n", "19"];
