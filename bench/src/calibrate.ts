import { createHash } from "node:crypto";

/** Returns the CPU of a fixed piece of work in milliseconds, which shows how fast the machine is now. */
export function calibrate(): number {
  const begin = process.cpuUsage();
  let hash = "";
  for (let n = 0; n < 20_000; n++) hash = createHash("sha256").update(`${hash}${n}`).digest("hex");
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}
