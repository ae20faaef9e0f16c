import { readdirSync, readFileSync } from "node:fs";

const sectorBytes = 512;

/**
 * Bytes that went to this machine's disks so far, whoever wrote them (Linux: iostats(5) in sysfs); NaN where that is not
 * told. What a process is charged with would not do: kernels charge whole folios of the page cache.
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
