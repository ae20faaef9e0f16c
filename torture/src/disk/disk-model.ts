import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Dice } from "../dice.js";
import type { DiskOperation } from "./read-disk-log.js";

const sector = 512;

/**
 * What survives a power cut. `synced`: only what was fsynced. `torn`: also any sectors of later writes, in
 * any order, and the first few later changes of names.
 */
export type PowerCut = "synced" | "torn";

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file: its synced content, and the changes since. */
interface DiskFile {
  safe: Buffer;
  changes: Change[];
}

/** Files by path. Null is a folder. */
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

/** Yields a random part of a write's sectors: those that reached the disk. */
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
 * Creates a disk on which a file's content is safe after the file was synced, and its name after its folder
 * was. POSIX promises no more, although most file systems do better.
 */
export function createDiskModel(root: string) {
  const inodes = new Map<string, DiskFile>();
  /** The current names, and those that survive a power cut. */
  const names: Names = new Map();
  const safeNames: Names = new Map([[root, null]]);
  let nameChanges: { readonly folder: string; readonly change: NameChange }[] = [];

  function rename(folder: string, change: NameChange): void {
    change(names);
    nameChanges.push({ folder, change });
  }

  function toFile(inode: string): DiskFile {
    const file = inodes.get(inode);
    if (file === undefined)
      throw new Error(`The log has an operation on inode ${inode}, which no operation created.`);
    return file;
  }

  return {
    perform(operation: DiskOperation): void {
      switch (operation.kind) {
        case "create": {
          const file: DiskFile = { safe: Buffer.alloc(0), changes: [] };
          inodes.set(operation.inode, file);
          rename(dirname(operation.path), (all) => all.set(operation.path, file));
          break;
        }
        case "write":
          toFile(operation.inode).changes.push({ at: operation.at, bytes: operation.bytes });
          break;
        case "truncate":
          toFile(operation.inode).changes.push({ size: operation.size });
          break;
        case "sync": {
          const file = toFile(operation.inode);
          file.safe = file.changes.reduce(apply, file.safe);
          file.changes = [];
          break;
        }
        case "syncFolder":
          for (const { folder, change } of nameChanges)
            if (folder === operation.path) change(safeNames);
          nameChanges = nameChanges.filter(({ folder }) => folder !== operation.path);
          break;
        case "rename":
        case "link":
          rename(dirname(operation.other), (all) => {
            const file = all.get(operation.path);
            if (file) all.set(operation.other, file);
            if (operation.kind === "rename") all.delete(operation.path);
          });
          break;
        case "remove":
          rename(dirname(operation.path), (all) => all.delete(operation.path));
          break;
        case "makeFolder":
          rename(dirname(operation.path), (all) => all.set(operation.path, null));
          break;
      }
    },

    /** Writes into a folder what survives a power cut. */
    restore(into: string, cut: PowerCut, dice: Dice): void {
      const surviving = new Map(safeNames);
      if (cut === "torn") {
        const survived = nameChanges.slice(0, dice.int(nameChanges.length + 1));
        for (const { change } of survived) change(surviving);
      }
      const isReachable = (path: string): boolean =>
        path === root || (surviving.get(path) === null && isReachable(dirname(path)));
      for (const [path, entry] of surviving) {
        // SQLite's shared memory does not survive the processes.
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
