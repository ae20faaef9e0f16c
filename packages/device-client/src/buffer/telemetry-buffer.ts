import { maxRequestBytes, maxRequestRecords, requestBytes } from "./batch.js";
import type { BufferStorage } from "./buffer-storage.js";
import {
  type Entry,
  type JournalState,
  lineOf,
  readJournal,
  type Seal,
  type Span,
  sealAfter,
  writeJournal,
} from "./journal.js";

export interface BufferLimits {
  /** Most records that wait; beyond, the oldest are dropped. Default: 10,000. */
  readonly maxRecords?: number;
  /** Most bytes of them, as JSON. Default: 4 MiB. */
  readonly maxBytes?: number;
}

export const defaultLimits: Required<BufferLimits> = { maxRecords: 10_000, maxBytes: 4_194_304 };

/** The records of one request. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly key: string;
}

/** Dead lines that a journal may have more than living ones before it is written anew. */
const slack = 1_000;

const spanOf = (entries: readonly Entry[]): Span => ({
  firstId: entries.at(0)?.id ?? 0,
  lastId: entries.at(-1)?.id ?? 0,
});

/**
 * Records that wait to be sent, in memory as in the journal: each change is durable before it
 * resolves. Methods must not be called at the same time.
 */
export interface TelemetryBuffer {
  readonly entries: readonly Entry[];
  readonly nextId: number;
  /** Puts records at the end and drops the oldest beyond the limits, except those in flight. Says which. */
  add(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /**
   * The records of the next request, at most so many; from then on they are in flight. The same ones
   * with the same key as before a crash or a failure, as long as that was not given up.
   */
  seal(maxRecords: number, makeKey: () => string): Promise<Batch | null>;
  /** The request failed; its records wait on. With `giveUpKey`, the next seal is another. */
  putBack(giveUpKey: boolean): void;
  /** Takes the records of the request out. */
  finish(batch: Batch): Promise<void>;
}

/** Opens the buffer that a storage holds. */
export async function openTelemetryBuffer(
  storage: BufferStorage,
  limits: Required<BufferLimits>,
): Promise<TelemetryBuffer> {
  const loaded = await storage.load();
  let state: JournalState = readJournal(loaded);
  let lines = loaded.length;
  let inFlight: Seal | null = null;

  async function write(next: JournalState, added: readonly string[]): Promise<void> {
    const living = next.entries.length + 1;
    if (lines + added.length > 2 * living + slack) {
      const journal = writeJournal(next);
      await storage.replace(journal);
      lines = journal.length;
    } else {
      await storage.append(added);
      lines += added.length;
    }
    state = next;
  }

  /** The oldest that must go so that the rest is within the limits. */
  function surplusOf(entries: readonly Entry[]): readonly Entry[] {
    const spared = inFlight?.lastId ?? 0;
    let [records, bytes] = [entries.length, entries.reduce((sum, entry) => sum + entry.bytes, 0)];
    const surplus: Entry[] = [];
    for (const entry of entries) {
      if (records <= limits.maxRecords && bytes <= limits.maxBytes) break;
      if (entry.id <= spared) continue;
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
      const gone = new Set(surplus);
      const nextId = Math.max(state.nextId, spanOf(added).lastId + 1);
      const records = added.map(lineOf.record);
      if (surplus.length === 0) {
        await write({ ...state, entries: all, nextId }, records);
        return surplus;
      }
      const dropped = spanOf(surplus);
      const entries = all.filter((entry) => !gone.has(entry));
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
      const gone = spanOf(batch.entries);
      const entries = state.entries.filter(({ id }) => id > gone.lastId);
      await write({ ...state, entries, seal: null }, [lineOf.done(gone)]);
    },
  };
}
