import { readFileSync } from "node:fs";

/** One operation of a process on its files. */
export type DiskOperation =
  | { readonly kind: "create"; readonly inode: string; readonly path: string }
  | {
      readonly kind: "write";
      readonly inode: string;
      readonly path: string;
      readonly at: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: "truncate"; readonly inode: string; readonly size: number }
  | { readonly kind: "sync"; readonly inode: string }
  | { readonly kind: "syncFolder"; readonly path: string }
  | { readonly kind: "makeFolder"; readonly path: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly other: string }
  | { readonly kind: "remove"; readonly path: string };

/** Reads a log that disk.c wrote. */
export function readDiskLog(file: string): DiskOperation[] {
  const log = readFileSync(file);
  const operations: DiskOperation[] = [];
  for (let place = 0; place < log.length; ) {
    const end = log.indexOf("\n", place);
    const [kind, inode = "", offset = "0", length = "0", ...names] = log
      .toString("utf8", place, end)
      .split(" ");
    const [path = "", other = ""] = names.join(" ").split("\t");
    const content = end + 1;
    place = content + Number(length);
    operations.push(
      toOperation(
        kind,
        { inode, path, other, offset: Number(offset) },
        log.subarray(content, place),
      ),
    );
  }
  return operations;
}

function toOperation(
  kind: string | undefined,
  line: { inode: string; path: string; other: string; offset: number },
  bytes: Buffer,
): DiskOperation {
  const { inode, path, other, offset } = line;
  switch (kind) {
    case "C":
      return { kind: "create", inode, path };
    case "W":
      return { kind: "write", inode, path, at: offset, bytes };
    case "T":
      return { kind: "truncate", inode, size: offset };
    case "S":
      return { kind: "sync", inode };
    case "D":
      return { kind: "syncFolder", path };
    case "M":
      return { kind: "makeFolder", path };
    case "R":
      return { kind: "rename", path, other };
    case "L":
      return { kind: "link", path, other };
    case "U":
      return { kind: "remove", path };
    default:
      throw new Error(`The disk log has a line of unknown kind ${kind}.`);
  }
}
