import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).error === undefined;

/** The command that pins a program to one core, or none where `taskset` is missing. */
const onCore = (core: number): readonly string[] => (canPin ? ["taskset", "-c", String(core)] : []);

/** On two cores the server and the honest clients use this core too, so the attacker runs only while they leave it idle. */
export const attackerCore = [...onCore(availableParallelism() - 1), "chrt", "--idle", "0"];
