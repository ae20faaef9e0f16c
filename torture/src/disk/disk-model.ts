import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Dice } from "../dice.js";
import type { Doing } from "./read-disk-log.js";

const sector = 512;

/**
 * What is left after a power cut: `synced`, nothing but what was fsynced; `torn`, besides that any
 * sectors of what was written since, in any order, and names as far as the folder's journal had come.
 */
export type PowerCut = "synced" | "torn";

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file: what is safe, and what was done to it since. */
interface DiskFile {
  safe: Buffer;
  changes: Change[];
}

/** By path; null is a folder. */
type Names = Map<string, DiskFile | null>;
type NameChange = (names: Names) => void;

function apply(content: Buffer, change: Change): Buffer {
  if ("size" in change) {
    const cut = Buffer.alloc(change.size);
    content.copy(cut);
    return cut;
  }
  const end = change.at + change.bytes.length;
  const grown =
    end > content.length
      ? Buffer.concat([content, Buffer.alloc(end - content.length)])
      : Buffer.from(content);
  change.bytes.copy(grown, change.at);
  return grown;
}

/** Some of a write's sectors: each came to the disk, or did not. */
function* tear(
  { at, bytes }: { readonly at: number; readonly bytes: Buffer },
  dice: Dice,
): Generator<Change> {
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, (Math.floor((at + from) / sector) + 1) * sector - at);
    if (dice.chance(0.5)) yield { at: at + from, bytes: bytes.subarray(from, to) };
    from = to;
  }
}

/**
 * A disk on which a file is safe once it was synced, and its name once its folder was; no more is
 * promised (POSIX), though most file systems do better.
 */
export function createDiskModel(root: string) {
  const inodes = new Map<string, DiskFile>();
  /** By path, in the folder as it is now, and as it is safe. */
  const names: Names = new Map();
  const safeNames: Names = new Map([[root, null]]);
  let nameChanges: { readonly folder: string; readonly change: NameChange }[] = [];

  function rename(folder: string, change: NameChange): void {
    change(names);
    nameChanges.push({ folder, change });
  }

  function toFile(inode: string): DiskFile {
    const file = inodes.get(inode);
    if (file === undefined) throw new Error(`Nobody has made the file ${inode}.`);
    return file;
  }

  return {
    perform(doing: Doing): void {
      switch (doing.kind) {
        case "create": {
          const file: DiskFile = { safe: Buffer.alloc(0), changes: [] };
          inodes.set(doing.inode, file);
          rename(dirname(doing.path), (all) => all.set(doing.path, file));
          break;
        }
        case "write":
          toFile(doing.inode).changes.push({ at: doing.at, bytes: doing.bytes });
          break;
        case "truncate":
          toFile(doing.inode).changes.push({ size: doing.size });
          break;
        case "sync": {
          const file = toFile(doing.inode);
          file.safe = file.changes.reduce(apply, file.safe);
          file.changes = [];
          break;
        }
        case "syncFolder":
          for (const { folder, change } of nameChanges)
            if (folder === doing.path) change(safeNames);
          nameChanges = nameChanges.filter(({ folder }) => folder !== doing.path);
          break;
        case "rename":
        case "link":
          rename(dirname(doing.other), (all) => {
            const file = all.get(doing.path);
            if (file) all.set(doing.other, file);
            if (doing.kind === "rename") all.delete(doing.path);
          });
          break;
        case "remove":
          rename(dirname(doing.path), (all) => all.delete(doing.path));
          break;
        case "makeFolder":
          rename(dirname(doing.path), (all) => all.set(doing.path, null));
          break;
      }
    },

    /** Whether a power cut would take anything. */
    isAllSafe: () =>
      nameChanges.length === 0 &&
      [...names.values()].every((file) => file === null || file.changes.length === 0),

    /** Makes a folder as it is found when the power is back. */
    restore(into: string, cut: PowerCut, dice: Dice): void {
      const found = new Map(safeNames);
      if (cut === "torn") {
        const come = nameChanges.slice(0, dice.int(nameChanges.length + 1));
        for (const { change } of come) change(found);
      }
      const isReachable = (path: string): boolean =>
        path === root || (found.get(path) === null && isReachable(dirname(path)));
      for (const [path, entry] of found) {
        // What is shared between processes alone is gone with them.
        if (entry === null || path.endsWith("-shm") || !isReachable(dirname(path))) continue;
        const { safe, changes } = entry;
        const left =
          cut === "synced"
            ? []
            : changes.flatMap((change): Change[] => {
                if ("bytes" in change) return [...tear(change, dice)];
                return dice.chance(0.5) ? [change] : [];
              });
        const file = join(into, relative(root, path));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, left.reduce(apply, safe));
      }
    },
  };
}
