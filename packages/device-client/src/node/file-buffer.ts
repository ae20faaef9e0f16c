import { open, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import type { BufferStorage } from "../buffer/buffer-storage.js";
import { readFileIfAny } from "./read-file-if-any.js";
import { syncFolder } from "./sync-folder.js";
import { writeFileAtomically } from "./write-file-atomically.js";

const lineBreak = 0x0a;
const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/**
 * Creates a storage in a file. Only one process may use the file, and its folder must exist.
 * Acknowledged lines survive SIGKILL, and also a power cut if the disk honours fsync.
 * @example
 * const device = createDevice({ baseUrl, identity, buffer: createFileBuffer("gw-1.journal") });
 * await device.record({ temperature: 21.5 }); // durable before it resolves
 */
export function createFileBuffer(file: string): BufferStorage {
  let isNameDurable = false;
  return {
    async load() {
      const content = await readFileIfAny(file);
      if (content === null) return [];
      const end = content.lastIndexOf(lineBreak) + 1;
      // A last line without a line break was cut short. Remove it before anything is appended.
      if (end < content.length) await truncate(file, end);
      return content.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    },
    async append(lines) {
      const handle = await open(file, "a", 0o600);
      try {
        await handle.writeFile(toText(lines));
        await handle.datasync();
      } finally {
        await handle.close();
      }
      // The first append may have created the file.
      if (!isNameDurable) await syncFolder(dirname(file));
      isNameDurable = true;
    },
    replace: (lines) => writeFileAtomically(file, toText(lines)),
  };
}
