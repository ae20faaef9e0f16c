import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { BootControl, FlashSlot } from "@device-gateway/device-client/update";
import { z } from "zod";
import { readFileIfAny, writePrivateFile } from "../../data/private-file.js";

const BootRecord = z.object({
  running: z.string(),
  /** The version to run after the next restart. */
  next: z.string().nullable(),
  /** The version that ran before, until the running one is confirmed. */
  former: z.string().nullable(),
});
type BootRecord = z.infer<typeof BootRecord>;

export interface DemoFlash {
  readonly slot: FlashSlot;
  readonly boot: BootControl;
  /** Returns the version of the running image. */
  running(): Promise<string>;
}

const capacity = 64 * 1024 * 1024;
const readBytes = 65_536;

/** Simulates a flash chip and a bootloader with two files in a folder. */
export function createDemoFlash(folder: string, factoryVersion: string): DemoFlash {
  const slotFile = join(folder, "slot.bin");
  const bootFile = join(folder, "boot.json");

  const load = async (): Promise<BootRecord> => {
    const text = await readFileIfAny(bootFile);
    try {
      if (text !== undefined) return BootRecord.parse(JSON.parse(text));
    } catch {
      // The file is damaged: fall back to the factory version.
    }
    return { running: factoryVersion, next: null, former: null };
  };
  const change = async (apply: (record: BootRecord) => BootRecord) => {
    await mkdir(folder, { recursive: true });
    await writePrivateFile(bootFile, `${JSON.stringify(apply(await load()))}\n`);
  };
  const withSlot = async <Value>(flags: string, use: (file: FileHandle) => Promise<Value>) => {
    await mkdir(folder, { recursive: true });
    const file = await open(slotFile, flags, 0o600);
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  };

  return {
    running: async () => (await load()).running,
    slot: {
      capacity,
      begin: (size) => withSlot("w", (file) => file.truncate(size)),
      write: (offset, bytes) =>
        withSlot("r+", async (file) => {
          await file.write(bytes, 0, bytes.length, offset);
          await file.datasync();
        }),
      async *read(from, to) {
        for (let at = from; at < to; at += readBytes) {
          const piece = Buffer.alloc(Math.min(readBytes, to - at));
          await withSlot("r", (file) => file.read(piece, 0, piece.length, at));
          yield piece;
        }
      },
    },
    boot: {
      install: ({ version }) => change((record) => ({ ...record, next: version })),
      reboot: () =>
        change(({ running, next }) =>
          next === null
            ? { running, next, former: null }
            : { running: next, next: null, former: running },
        ),
      confirm: () => change((record) => ({ ...record, former: null })),
      rollBack: () =>
        change(({ running, former }) => ({ running: former ?? running, next: null, former: null })),
    },
  };
}
