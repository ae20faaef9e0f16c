import { rmSync } from "node:fs";
import { createRunFolder } from "./once-per-run.js";

let folder: string | undefined;

/** Creates the folder that the processes of a test run share, before they start. */
export function setup(): void {
  folder = createRunFolder();
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
