import { rm } from "node:fs/promises";
import { z } from "zod";
import { readFileIfAny, writePrivateFile } from "../data/private-file.js";

const DemoState = z.object({
  claimCode: z.string(),
  /** Absent until registered. */
  deviceSecret: z.string().optional(),
  /** The time at which the recording ends, in epoch milliseconds: the time of the first start. */
  anchor: z.int(),
  /** How many readings of the recording the server has acknowledged, counted from the beginning. */
  acknowledged: z.int().min(0),
});
export type DemoState = z.infer<typeof DemoState>;

/** Stores the demo gateway's state, like the flash memory of a real gateway. */
export interface DemoMemory {
  /** Returns null at the first start, or if the file cannot be parsed. */
  load(): Promise<DemoState | null>;
  save(state: DemoState): Promise<void>;
  forget(): Promise<void>;
}

/** Changes a part of the stored state. Returns the new state. */
export async function remember(
  memory: DemoMemory,
  before: DemoState,
  change: Partial<DemoState>,
): Promise<DemoState> {
  const state = { ...before, ...(await memory.load()), ...change };
  await memory.save(state);
  return state;
}

/** Stores the state in a file that only this user can read, because it contains the device secret. */
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
