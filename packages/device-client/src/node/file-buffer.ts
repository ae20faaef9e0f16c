import { open, truncate } from "node:fs/promises";
import type { BufferStorage } from "../buffer/buffer-storage.js";
import { readFileIfAny } from "./read-file-if-any.js";
import { writeFileAtomically } from "./write-file-atomically.js";

const lineBreak = 0x0a;
const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/**
 * Keeps a buffer's journal in a file that this process alone uses; its folder must be there. What is
 * acknowledged survives SIGKILL and, on disks that keep their word, a power cut.
 */
export function createFileBuffer(file: string): BufferStorage {
  return {
    async load() {
      const content = await readFileIfAny(file);
      if (content === null) return [];
      const end = content.lastIndexOf(lineBreak) + 1;
      // A line that has no end was being written: nothing may be glued to it.
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
    },
    replace: (lines) => writeFileAtomically(file, toText(lines)),
  };
}
