import { readdirSync, readFileSync } from "node:fs";

const sectorBytes = 512;

/**
 * Returns the bytes written to this machine's disks so far, by any process (Linux: sysfs, `/sys/block/<name>/stat`). NaN
 * if the system does not report them. Per-process counters are unusable, because kernels charge whole folios of the page cache.
 */
export function writtenToDisks(): number {
  try {
    return readdirSync("/sys/block")
      .filter((name) => !/^(loop|ram|zram|dm-|md)/.test(name))
      .map((name) => readFileSync(`/sys/block/${name}/stat`, "utf8").trim().split(/\s+/))
      .reduce((sum, fields) => sum + Number(fields[6]) * sectorBytes, 0);
  } catch {
    return Number.NaN;
  }
}
