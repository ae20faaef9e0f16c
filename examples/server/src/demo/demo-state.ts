import { rm } from "node:fs/promises";
import { z } from "zod";
import { readFileIfAny, writePrivateFile } from "../private-file.js";

const DemoState = z.object({
  claimCode: z.string(),
  /** Absent until registered. */
  deviceSecret: z.string().optional(),
  /** When the recording is said to have ended, in epoch milliseconds: the first start. */
  anchor: z.int(),
  /** Readings of the recording that the server has acknowledged, from its beginning. */
  acknowledged: z.int().min(0),
});
export type DemoState = z.infer<typeof DemoState>;

/** What a demo gateway must remember, as a real one does in its flash memory. */
export interface DemoMemory {
  /** Null at the first start, and when the file is no longer readable. */
  load(): Promise<DemoState | null>;
  save(state: DemoState): Promise<void>;
  forget(): Promise<void>;
}

/** Changes a part of what is remembered, and leaves the rest as it is by now. */
export async function remember(
  memory: DemoMemory,
  before: DemoState,
  change: Partial<DemoState>,
): Promise<DemoState> {
  const state = { ...before, ...(await memory.load()), ...change };
  await memory.save(state);
  return state;
}

/** Keeps the state in a file for this user only, since it holds the device's secret. */
export function createDemoMemory(file: string): DemoMemory {
  return {
    async load() {
      const text = await readFileIfAny(file);
      try {
        return text === undefined ? null : DemoState.parse(JSON.parse(text));
      } catch {
        return null;
      }
    },
    forget: () => rm(file, { force: true }),
    save: (state) => writePrivateFile(file, `${JSON.stringify(state, null, 2)}\n`),
  };
}
