/** A record in the buffer. */
export interface Entry {
  /** Number of the record, counted over the lifetime of the buffer. */
  readonly id: number;
  /** The record in the form in which it is sent. */
  readonly json: string;
  /** Length of `json` in UTF-8 bytes. */
  readonly bytes: number;
}

/** Assigns the records up to `lastId` to one request and its Idempotency-Key. */
export interface Seal {
  readonly lastId: number;
  readonly key: string;
}

/** The content of a journal: the records that are not sent yet, oldest first. */
export interface JournalState {
  readonly entries: readonly Entry[];
  readonly seal: Seal | null;
  readonly nextId: number;
}

/** A range of records, both ends included. */
export interface Span {
  readonly firstId: number;
  readonly lastId: number;
}

/** Formats the lines of a journal: a record, a sealed request, finished records and the next id. */
export const lineOf = {
  record: ({ id, json }: Entry) => `r ${id} ${json}`,
  seal: ({ lastId, key }: Seal) => `s ${lastId} ${key}`,
  done: ({ firstId, lastId }: Span) => `d ${firstId} ${lastId}`,
  next: (nextId: number) => `n ${nextId}`,
} as const;

const encoder = new TextEncoder();
const utf8Length = (text: string) => encoder.encode(text).length;

export const toEntry = (id: number, json: string): Entry => ({
  id,
  json,
  bytes: utf8Length(json),
});

/** Returns the size of lines in the storage, in bytes. Each ends with a line break. */
export const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);

/** Returns how many seals follow the last finished records. `before` is their number before these lines. */
export const countSeals = (lines: readonly string[], before = 0): number =>
  lines.reduce((count, line) => {
    if (line.startsWith("d ")) return 0;
    return line.startsWith("s ") ? count + 1 : count;
  }, before);

/** The longest id and what else a record's line has, in bytes. */
const lineOverhead = "r 123456789012345 \n".length;

/** Returns at least the size of the records in the shortest journal, in bytes. */
export const maxSizeOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes + lineOverhead, 0);

/**
 * Returns the seal, or null if one of its records was removed. Without that record, the request
 * cannot be repeated byte for byte.
 */
export const sealAfter = (seal: Seal | null, removed: Span): Seal | null =>
  seal !== null && removed.firstId > seal.lastId ? seal : null;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a journal. It skips malformed lines. */
export function readJournal(lines: readonly string[]): JournalState {
  const entries = new Map<number, Entry>();
  let seal: Seal | null = null;
  let nextId = 1;
  for (const line of lines) {
    const [, kind, number, rest = ""] = /^([rsdn]) (\d{1,15})(?: (.+))?$/s.exec(line) ?? [];
    const id = Number(number);
    if (kind === "r" && isJson(rest)) {
      entries.set(id, toEntry(id, rest));
      nextId = Math.max(nextId, id + 1);
    } else if (kind === "s" && rest !== "") {
      seal = { lastId: id, key: rest };
    } else if (kind === "n") {
      nextId = Math.max(nextId, id);
    } else if (kind === "d" && /^\d{1,15}$/.test(rest)) {
      const removed = { firstId: id, lastId: Number(rest) };
      for (let each = removed.firstId; each <= removed.lastId; each++) entries.delete(each);
      seal = sealAfter(seal, removed);
    }
  }
  return { entries: [...entries.values()], seal, nextId };
}

/** Returns the shortest journal with this content. */
export function writeJournal({ entries, seal, nextId }: JournalState): string[] {
  const sealed = seal === null ? [] : [lineOf.seal(seal)];
  return [lineOf.next(nextId), ...entries.map(lineOf.record), ...sealed];
}
