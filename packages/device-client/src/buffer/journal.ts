/** A record in the buffer. */
export interface Entry {
  /** Counts all records that were ever in this buffer. */
  readonly id: number;
  /** The record as it is sent. */
  readonly json: string;
  /** Length of `json` in UTF-8. */
  readonly bytes: number;
}

/** The records up to `lastId` belong to one request, with its Idempotency-Key. */
export interface Seal {
  readonly lastId: number;
  readonly key: string;
}

/** What a journal says: the records that still wait, oldest first. */
export interface JournalState {
  readonly entries: readonly Entry[];
  readonly seal: Seal | null;
  readonly nextId: number;
}

/** From one record to another, both included. */
export interface Span {
  readonly firstId: number;
  readonly lastId: number;
}

/** The lines of a journal: a record, a request that is about to be sent, what is done with, where ids go on. */
export const lineOf = {
  record: ({ id, json }: Entry) => `r ${id} ${json}`,
  seal: ({ lastId, key }: Seal) => `s ${lastId} ${key}`,
  done: ({ firstId, lastId }: Span) => `d ${firstId} ${lastId}`,
  next: (nextId: number) => `n ${nextId}`,
} as const;

const encoder = new TextEncoder();

export const toEntry = (id: number, json: string): Entry => ({
  id,
  json,
  bytes: encoder.encode(json).length,
});

/** The seal, unless records that it was for are gone: their request can't be sent again as it was. */
export const sealAfter = (seal: Seal | null, gone: Span): Seal | null =>
  seal !== null && gone.firstId > seal.lastId ? seal : null;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads a journal back. A line that makes no sense is passed over: the others still count. */
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
      const gone = { firstId: id, lastId: Number(rest) };
      for (let each = gone.firstId; each <= gone.lastId; each++) entries.delete(each);
      seal = sealAfter(seal, gone);
    }
  }
  return { entries: [...entries.values()], seal, nextId };
}

/** The shortest journal that says the same. */
export function writeJournal({ entries, seal, nextId }: JournalState): string[] {
  const sealed = seal === null ? [] : [lineOf.seal(seal)];
  return [lineOf.next(nextId), ...entries.map(lineOf.record), ...sealed];
}
