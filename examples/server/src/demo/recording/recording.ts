import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One reading of a recording. `at` is in epoch milliseconds. */
export interface Reading {
  readonly at: number;
  readonly temperature: number;
}

const file = join("demo-data", "machine_temperature_system_failure.csv");

/** Looks for the file in all parent folders, because the code runs from `src` and from `dist`. */
function findUpwards(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, path))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${path} is missing. Check out the repository again.`);
    folder = parent;
  }
  return join(folder, path);
}

/** Parses lines such as `2013-12-02 21:15:00,73.9` below a heading. The times are UTC. */
export function parseRecording(csv: string): readonly Reading[] {
  const [, ...lines] = csv.trim().split(/\r?\n/);
  return lines.map((line) => {
    const [time = "", value = ""] = line.split(",");
    return { at: Date.parse(`${time.replace(" ", "T")}Z`), temperature: Number(value) };
  });
}

/** Reads the recording that the demo gateway sends: a machine's temperature until it fails. */
export async function readRecording(): Promise<readonly Reading[]> {
  return parseRecording(await readFile(findUpwards(file), "utf8"));
}
