import { maxRequestBytes, maxRequestRecords, requestBytes } from "./batch.js";
import type { BufferStorage } from "./buffer-storage.js";
import {
  countSeals,
  type Entry,
  type JournalState,
  lineOf,
  maxSizeOf,
  readJournal,
  type Seal,
  type Span,
  sealAfter,
  sizeOf,
  writeJournal,
} from "./journal.js";

/** Limits of the buffer. Above them, the oldest records are dropped. */
export interface BufferLimits {
  /** Maximum number of unsent records. Above it, the oldest are dropped. Default: 10,000. */
  readonly maxRecords?: number;
  /**
   * Maximum size of the unsent records as JSON, in bytes. Their journal has up to about 2.25 times as many, plus about 40
   * for each record. While a file is rewritten, the old and the new one exist. Default: 4 MiB.
   */
  readonly maxBytes?: number;
}

export const defaultLimits: Required<BufferLimits> = { maxRecords: 10_000, maxBytes: 4_194_304 };

/** The records of one request. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly key: string;
}

/** How many more obsolete lines than current lines a journal may have before it is rewritten. */
const maxObsoleteLines = 1_000;
/** How many more obsolete bytes than current bytes a journal may have before it is rewritten. */
const maxObsoleteBytes = 1_048_576;

const spanOf = (entries: readonly Entry[]): Span => ({
  firstId: entries.at(0)?.id ?? 0,
  lastId: entries.at(-1)?.id ?? 0,
});

/**
 * Unsent records, in memory and in the journal. A method resolves when its change is durable.
 * Methods must not be called concurrently.
 */
export interface TelemetryBuffer {
  readonly entries: readonly Entry[];
  readonly nextId: number;
  /**
   * Appends records. Above the limits, it drops the oldest records that are not in flight and
   * returns them.
   */
  add(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /**
   * Returns the records of the next request, at most `maxRecords`, and marks them as in flight. After
   * a crash or a failed request, it returns the same records with the same key, unless the key was
   * given up. Null if the buffer is empty.
   */
  seal(maxRecords: number, makeKey: () => string): Promise<Batch | null>;
  /** Keeps the records of a failed request. With `giveUpKey`, the next request gets another key. */
  putBack(giveUpKey: boolean): void;
  /** Removes the records of a finished request. */
  finish(batch: Batch): Promise<void>;
}

/** Loads the buffer from its storage. */
export async function openTelemetryBuffer(
  storage: BufferStorage,
  limits: Required<BufferLimits>,
): Promise<TelemetryBuffer> {
  const loaded = await storage.load();
  let state: JournalState = readJournal(loaded);
  let lines = loaded.length;
  let size = sizeOf(loaded);
  let seals = countSeals(loaded);
  const maxObsoleteSize = Math.min(maxObsoleteBytes, limits.maxBytes / 4);
  let inFlight: Seal | null = null;

  async function append(added: readonly string[]): Promise<void> {
    await storage.append(added);
    lines += added.length;
    size += sizeOf(added);
    seals = countSeals(added, seals);
  }

  async function replace(content: JournalState): Promise<void> {
    const journal = writeJournal(content);
    await storage.replace(journal);
    lines = journal.length;
    size = sizeOf(journal);
    seals = countSeals(journal);
  }

  /** Writes a change that could not be appended, for example because obsolete lines fill the disk. */
  async function shrink(next: JournalState, added: readonly string[]): Promise<void> {
    if (maxSizeOf(next.entries) <= maxSizeOf(state.entries)) return replace(next);
    await replace(state);
    await append(added);
  }

  /** Returns whether a journal would be much shorter if it were rewritten. `factor` multiplies the limit. */
  const isLong = ({ entries }: JournalState, added: readonly string[], factor = 1): boolean =>
    lines + added.length > factor * (2 * (entries.length + 1) + maxObsoleteLines) ||
    size + sizeOf(added) > factor * (2 * maxSizeOf(entries) + maxObsoleteSize);

  async function write(next: JournalState, added: readonly string[]): Promise<void> {
    const isRewritten = isLong(next, added);
    try {
      await (isRewritten ? replace(next) : append(added));
    } catch (fault) {
      // A storage that can only append must not fill the disk: it takes no more records, and no endless series of keys.
      // The records that wait can still be sent.
      const isGrowing = next.nextId > state.nextId || countSeals(added, seals) > maxObsoleteLines;
      if (isGrowing && isLong(next, added, 2)) throw fault;
      // On a full disk, appending may need less space than rewriting, or the reverse.
      await (isRewritten ? append(added) : shrink(next, added)).catch(() => {
        throw fault;
      });
    }
    state = next;
  }

  /** Returns the oldest records that must be dropped to stay within the limits. */
  function surplusOf(entries: readonly Entry[]): readonly Entry[] {
    const lastInFlight = inFlight?.lastId ?? 0;
    let [records, bytes] = [entries.length, entries.reduce((sum, entry) => sum + entry.bytes, 0)];
    const surplus: Entry[] = [];
    for (const entry of entries) {
      if (records <= limits.maxRecords && bytes <= limits.maxBytes) break;
      if (entry.id <= lastInFlight) continue;
      surplus.push(entry);
      records -= 1;
      bytes -= entry.bytes;
    }
    return surplus;
  }

  function chooseBatch(maxRecords: number): readonly Entry[] {
    const chosen: Entry[] = [];
    let bytes = requestBytes;
    for (const entry of state.entries.slice(0, Math.min(maxRecords, maxRequestRecords))) {
      bytes += entry.bytes + 1;
      if (bytes > maxRequestBytes && chosen.length > 0) break;
      chosen.push(entry);
    }
    return chosen;
  }

  return {
    get entries() {
      return state.entries;
    },
    get nextId() {
      return state.nextId;
    },
    async add(added) {
      const all = [...state.entries, ...added];
      const surplus = surplusOf(all);
      const removed = new Set(surplus);
      const nextId = Math.max(state.nextId, spanOf(added).lastId + 1);
      const records = added.map(lineOf.record);
      if (surplus.length === 0) {
        await write({ ...state, entries: all, nextId }, records);
        return surplus;
      }
      const dropped = spanOf(surplus);
      const entries = all.filter((entry) => !removed.has(entry));
      const seal = sealAfter(state.seal, dropped);
      await write({ entries, seal, nextId }, [...records, lineOf.done(dropped)]);
      return surplus;
    },
    async seal(maxRecords, makeKey) {
      let { seal } = state;
      if (seal === null) {
        const chosen = chooseBatch(maxRecords);
        if (chosen.length === 0) return null;
        seal = { lastId: spanOf(chosen).lastId, key: makeKey() };
        await write({ ...state, seal }, [lineOf.seal(seal)]);
      }
      const { lastId, key } = seal;
      inFlight = seal;
      return { entries: state.entries.filter(({ id }) => id <= lastId), key };
    },
    putBack(giveUpKey) {
      inFlight = null;
      if (giveUpKey) state = { ...state, seal: null };
    },
    async finish(batch) {
      inFlight = null;
      const sent = spanOf(batch.entries);
      const entries = state.entries.filter(({ id }) => id > sent.lastId);
      await write({ ...state, entries, seal: null }, [lineOf.done(sent)]);
    },
  };
}
