import type { BufferStorage } from "../buffer/buffer-storage.js";

/** What the device reports about a command. */
export interface CommandAnswer {
  readonly status: "done" | "failed" | "unknown";
  /** Any JSON value of at most 4,096 bytes. */
  readonly result?: unknown;
  readonly message?: string;
}

/** A command that the device began. */
export interface JournalEntry {
  readonly commandId: string;
  /** Null: the device has not finished it, or it restarted meanwhile. */
  readonly answer: CommandAnswer | null;
  readonly isReported: boolean;
}

/** Reported commands that are remembered. The server hands out a command again only while it is unanswered. */
const maxReported = 256;
/**
 * Commands whose report waits: by default, 20 commands and one `update-now` are the most that can be open (§11). A proxy
 * may refuse every report for days, and each poll sends all that wait.
 */
const maxUnreported = 21;
/** How many more lines than entries the journal may have before it is rewritten. */
const maxObsoleteLines = 1_000;

const lineOf = {
  begun: (commandId: string) => `b ${commandId}`,
  answered: (commandId: string, answer: CommandAnswer) =>
    `a ${commandId} ${JSON.stringify(answer)}`,
  reported: (commandId: string) => `r ${commandId}`,
} as const;

function parseAnswer(text: string): CommandAnswer | null {
  try {
    return JSON.parse(text) as CommandAnswer;
  } catch {
    return null;
  }
}

/** Reads a journal. It skips malformed lines. */
function readLines(lines: readonly string[]): Map<string, JournalEntry> {
  const entries = new Map<string, JournalEntry>();
  for (const line of lines) {
    const [, kind, commandId = "", rest = ""] =
      /^([bar]) ([\w-]{1,64})(?: (.+))?$/s.exec(line) ?? [];
    const before = entries.get(commandId) ?? { commandId, answer: null, isReported: false };
    if (kind === "b") entries.set(commandId, before);
    if (kind === "a") entries.set(commandId, { ...before, answer: parseAnswer(rest) });
    if (kind === "r") entries.set(commandId, { ...before, isReported: true });
  }
  return entries;
}

const linesOf = ({ commandId, answer, isReported }: JournalEntry): string[] => [
  lineOf.begun(commandId),
  ...(answer === null || isReported ? [] : [lineOf.answered(commandId, answer)]),
  ...(isReported ? [lineOf.reported(commandId)] : []),
];

/**
 * The commands that the device began, in memory and in the storage. A method resolves when its change is durable.
 * Methods must not be called concurrently.
 */
export interface CommandJournal {
  has(commandId: string): boolean;
  /** Returns the latest 21 commands that are not reported, oldest first. */
  unreported(): readonly JournalEntry[];
  begin(commandId: string): Promise<void>;
  answer(commandId: string, answer: CommandAnswer): Promise<void>;
  report(commandId: string): Promise<void>;
}

/** Loads the journal from its storage. */
export async function openCommandJournal(storage: BufferStorage): Promise<CommandJournal> {
  const loaded = await storage.load();
  const entries = readLines(loaded);
  let lines = loaded.length;

  async function write(entry: JournalEntry, line: string): Promise<void> {
    if (lines < 3 * entries.size + maxObsoleteLines) {
      await storage.append([line]);
      lines += 1;
      entries.set(entry.commandId, entry);
      return;
    }
    const next = new Map(entries).set(entry.commandId, entry);
    const all = [...next.values()].flatMap(linesOf);
    await storage.replace(all);
    lines = all.length;
    entries.set(entry.commandId, entry);
  }

  function forgetOldest(): void {
    const reported = [...entries.values()].filter(({ isReported }) => isReported);
    for (const { commandId } of reported.slice(0, Math.max(0, reported.length - maxReported))) {
      entries.delete(commandId);
    }
  }

  const entryOf = (commandId: string): JournalEntry =>
    entries.get(commandId) ?? { commandId, answer: null, isReported: false };

  const unreported = () => [...entries.values()].filter(({ isReported }) => !isReported);

  async function report(commandId: string): Promise<void> {
    await write({ ...entryOf(commandId), isReported: true }, lineOf.reported(commandId));
    forgetOldest();
  }

  /** Gives up the oldest reports until `count` are left. Their commands count as reported, so they do not run again. */
  async function keepLatest(count: number): Promise<void> {
    const waiting = unreported();
    const obsolete = waiting.slice(0, Math.max(0, waiting.length - count));
    for (const { commandId } of obsolete) await report(commandId);
  }

  forgetOldest();
  await keepLatest(maxUnreported);
  return {
    has: (commandId) => entries.has(commandId),
    unreported,
    async begin(commandId) {
      await keepLatest(maxUnreported - 1);
      await write(entryOf(commandId), lineOf.begun(commandId));
    },
    answer: (commandId, answer) =>
      write({ ...entryOf(commandId), answer }, lineOf.answered(commandId, answer)),
    report,
  };
}
