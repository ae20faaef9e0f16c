import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One reading of a recording; `at` is in epoch milliseconds. */
export interface Reading {
  readonly at: number;
  readonly temperature: number;
}

const file = join("demo-data", "machine_temperature_system_failure.csv");

/** Looks in every folder above: the code runs from `src` as well as from `dist`. */
function findUpwards(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, path))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${path} is missing. Check the repository out anew.`);
    folder = parent;
  }
  return join(folder, path);
}

/** Reads lines of `2013-12-02 21:15:00,73.9` below a heading; times without a zone are UTC. */
export function parseRecording(csv: string): readonly Reading[] {
  const [, ...lines] = csv.trim().split(/\r?\n/);
  return lines.map((line) => {
    const [time = "", value = ""] = line.split(",");
    return { at: Date.parse(`${time.replace(" ", "T")}Z`), temperature: Number(value) };
  });
}

/** The recording that the demo gateway sends: a machine's temperature until it fails. */
export async function readRecording(): Promise<readonly Reading[]> {
  return parseRecording(await readFile(findUpwards(file), "utf8"));
}
