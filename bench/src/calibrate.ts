import { createHash } from "node:crypto";

/** Returns the CPU time of a fixed amount of work in milliseconds. It shows how fast the machine is at the moment. */
export function calibrate(): number {
  const begin = process.cpuUsage();
  let hash = "";
  for (let n = 0; n < 20_000; n++) hash = createHash("sha256").update(`${hash}${n}`).digest("hex");
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}
