import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const hasTools = spawnSync("taskset", ["-V"]).error === undefined;
const lastCore = String(availableParallelism() - 1);

/**
 * The command that runs the attacker on the last core, while nothing else needs it: on two cores the server and the honest
 * clients use this core too. Where `taskset` and `chrt` are missing, the attacker has the lowest priority.
 */
export const attackerCore: readonly string[] = hasTools
  ? ["taskset", "-c", lastCore, "chrt", "--idle", "0"]
  : ["nice", "-n", "19"];
