import { readdirSync, readFileSync } from "node:fs";

/** Returns the parent of each process on this machine. */
function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended.
    }
  }
  return parents;
}

/** Returns processes and all processes that they started. */
export function processesOf(roots: readonly number[]): number[] {
  const parents = readParents();
  const found = new Set(roots.filter((root) => parents.has(root)));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [process, parent] of parents) if (found.has(parent)) found.add(process);
  }
  return [...found];
}
