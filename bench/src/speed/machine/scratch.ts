import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const inMemory = "/dev/shm";

/** Creates a temporary folder: on disk for what is measured, in memory for what is prepared. */
export function createScratch(where: "disk" | "memory") {
  const parent = where === "memory" && existsSync(inMemory) ? inMemory : tmpdir();
  const folder = mkdtempSync(join(parent, "bench-speed-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
