import type { DeviceCommand } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import type { BufferStorage } from "../buffer/buffer-storage.js";
import { createMutex } from "../buffer/mutex.js";
import type { ClientError } from "../client-error.js";
import type { Device } from "../device/device.js";
import { raceWithSignal } from "../race-with-signal.js";
import { reasonOf } from "../reason-of.js";
import { chooseLoopDelay, isFromGateway, type Sleep } from "../retry.js";
import { systemSleep } from "../system.js";
import {
  type CommandAnswer,
  type CommandJournal,
  type JournalEntry,
  openCommandJournal,
} from "./command-journal.js";
import { isRefusal, reportAnswer } from "./report-answer.js";
import { runHandler } from "./run-handler.js";

/** What a handler can do besides returning a result. */
export interface CommandContext {
  readonly commandId: string;
  /**
   * Calls back after the answer was stored and, if the server is reachable, reported. For commands such as a restart.
   * It must not throw.
   */
  afterReport(callback: () => void | Promise<void>): void;
}

/**
 * Runs a command. What it returns is reported as the result, as JSON of at most 4,096 bytes. If it throws, the command
 * has failed, with the first 512 characters of the error's message.
 */
export type CommandHandler<Payload> = (payload: Payload, context: CommandContext) => unknown;

/** The owner's "update now" (§11). */
const updateNow = "update-now";

/** Options of `createCommands`. */
export interface CommandsOptions<Payloads> {
  readonly device: Pick<Device, "call">;
  /** Stores which commands were begun. Without durable storage, a command can run again after a restart. */
  readonly storage: BufferStorage;
  /**
   * One handler for each command that the device knows. The server validated the payload. `update-now` checks for
   * firmware now, for example with `Updater.run`. Without a handler, it is left to a program that reads
   * `otaUpdateRequestId`.
   */
  readonly handlers: { readonly [Name in keyof Payloads]: CommandHandler<Payloads[Name]> } & {
    readonly [updateNow]?: CommandHandler<object>;
  };
  /**
   * Seconds for which a request waits for a command, up to 45. Default: 25. The device's `timeoutMs` must be longer,
   * and so must the time-outs of all proxies.
   */
  readonly waitSeconds?: number;
  /** Default: a timer. */
  readonly sleep?: Sleep;
  /** Returns milliseconds that never go back, for the expiry of commands. Default: `performance.now()`. */
  readonly now?: () => number;
}

/** Why commands could not be fetched, stored or reported. */
export type CommandsError = ClientError;

/** A command that was answered by this call. */
export interface RunCommand {
  readonly commandId: string;
  /** The command's name. Null if it was begun before a restart. */
  readonly name: string | null;
  readonly answer: CommandAnswer;
}

/** Fetches commands, runs each at most once, and reports the results (§11). */
export interface Commands {
  /**
   * Sends the reports that are due, then fetches commands, runs them and reports them. Returns the commands that it
   * answered. With `waits`, the request waits for a command if there is none. A report that the server or a proxy
   * refuses does not stop the commands: they run, and the result is the refusal. After a proxy's refusal, the next poll
   * sends the report again, before its fetch and after it. If the proxy refuses both, the report is sent without the
   * result of the command. At most the latest 21 reports wait.
   */
  poll(options?: { readonly waits?: boolean }): ResultAsync<readonly RunCommand[], CommandsError>;
  /**
   * Polls and waits until the signal aborts. Errors are passed to `onError`, and the next attempt follows later. A
   * command that runs when the signal aborts goes on and is reported, and no other begins.
   */
  run(options: {
    readonly signal: AbortSignal;
    readonly onError?: (error: CommandsError) => void;
  }): Promise<void>;
}

/** The shortest time between two polls if the first one returned nothing, or if only a report was refused. */
const paceMs = 5_000;
/** The shortest delay after another error. The device has retried the request before. */
const minAfterErrorMs = 30_000;

const interrupted: CommandAnswer = {
  status: "unknown",
  message: "The device restarted, or its storage failed, while it ran the command.",
};
const storageFailed = (fault: unknown): CommandsError => ({
  code: "storage",
  message: `The storage of commands failed: ${reasonOf(fault)}`,
});

/** An answer whose report was refused, and the error. */
interface Refused {
  readonly commandId: string;
  readonly answer: CommandAnswer;
  readonly error: CommandsError;
}

/** The result of a poll whose fetch succeeded. */
interface Polled {
  readonly ran: readonly RunCommand[];
  /** The error of the last report that was refused and stays for the next poll. Null if there is none. */
  readonly refusal: CommandsError | null;
}

/** A command that ran, and whether the server has its answer. */
interface Ran {
  readonly ran: RunCommand;
  readonly reported: Result<void, CommandsError>;
}

/**
 * Creates the command runner of a device. It stores the id of a command before it runs it, so a command runs at most
 * once, even across restarts. A command that a restart or a storage fault interrupted is reported as `unknown`.
 * @example
 * const commands = createCommands<{ blink: { times: number } }>({
 *   device,
 *   storage: createFileBuffer("gw-1.commands"),
 *   handlers: { blink: async ({ times }) => ({ blinked: await blink(times) }) },
 * });
 * await commands.run({ signal });
 */
export function createCommands<Payloads extends object>(
  options: CommandsOptions<Payloads>,
): Commands {
  const { device, storage, waitSeconds = 25, sleep = systemSleep } = options;
  const { now = () => performance.now() } = options;
  const handlers = new Map(Object.entries(options.handlers)) as ReadonlyMap<
    string,
    CommandHandler<unknown>
  >;
  const exclusively = createMutex();
  let opened: CommandJournal | undefined;
  /** Commands whose reports a proxy has refused again after the gateway had answered. */
  const repeated = new Set<string>();
  /** The last command that was received since the start. The server hands out only later ones. */
  let after: string | undefined;

  async function open(): Promise<CommandJournal> {
    if (opened !== undefined) return opened;
    const journal = await openCommandJournal(storage);
    for (const { commandId, answer } of journal.unreported()) {
      if (answer === null) await journal.answer(commandId, interrupted);
    }
    opened = journal;
    return journal;
  }

  async function report(
    journal: CommandJournal,
    commandId: string,
    answer: CommandAnswer,
    isRepeated: boolean,
  ): Promise<Result<void, CommandsError>> {
    const reported = await reportAnswer(device, commandId, answer, isRepeated);
    if (reported.isOk()) await journal.report(commandId);
    return reported;
  }

  async function runAndReport(
    journal: CommandJournal,
    command: DeviceCommand,
    receivedAt: number,
    later: (() => void | Promise<void>)[],
  ): Promise<Ran> {
    const { commandId, name, expiresInSeconds } = command;
    await journal.begin(commandId);
    const isLate = now() - receivedAt > expiresInSeconds * 1_000;
    const answer: CommandAnswer = isLate
      ? { status: "failed", message: "The command expired before the device could begin it." }
      : await runHandler(handlers.get(name), command, later);
    await journal.answer(commandId, answer);
    const reported = await report(journal, commandId, answer, false);
    return { ran: { commandId, name, answer }, reported };
  }

  async function runOne(
    journal: CommandJournal,
    command: DeviceCommand,
    receivedAt: number,
  ): Promise<Ran> {
    const later: (() => void | Promise<void>)[] = [];
    const ran = await runAndReport(journal, command, receivedAt, later);
    for (const callback of later) await callback();
    return ran;
  }

  /**
   * Reports answers that an earlier poll could not report. Returns those whose report was refused: they stay for the
   * next poll, but do not hold up the others.
   */
  async function reportDue(
    journal: CommandJournal,
    due: readonly Pick<JournalEntry, "commandId" | "answer">[],
    ran: RunCommand[],
    isRepeated: boolean,
  ): Promise<Result<readonly Refused[], CommandsError>> {
    const refused: Refused[] = [];
    for (const { commandId, answer } of due) {
      if (answer === null) continue;
      const reported = await report(journal, commandId, answer, isRepeated);
      if (reported.isOk()) ran.push({ commandId, name: null, answer });
      else if (isRefusal(reported.error))
        refused.push({ commandId, answer, error: reported.error });
      else return err(reported.error);
    }
    return ok(refused);
  }

  /**
   * Runs the commands until the signal aborts. The others are delivered again later. Returns the error of the last
   * report that was refused, or null.
   */
  async function runAll(
    journal: CommandJournal,
    commands: readonly DeviceCommand[],
    receivedAt: number,
    ran: RunCommand[],
    signal?: AbortSignal,
  ): Promise<Result<CommandsError | null, CommandsError>> {
    let refusal: CommandsError | null = null;
    for (const command of commands) {
      if (signal?.aborted) break;
      const isLeft = command.name === updateNow && !handlers.has(updateNow);
      if (!isLeft && !journal.has(command.commandId)) {
        const one = await runOne(journal, command, receivedAt);
        ran.push(one.ran);
        if (one.reported.isErr()) {
          refusal = one.reported.error;
          if (!isRefusal(refusal)) return err(refusal);
        }
      }
      after = command.commandId;
    }
    return ok(refusal);
  }

  async function pollOnce(
    waits: boolean,
    signal?: AbortSignal,
  ): Promise<Result<Polled, CommandsError>> {
    const journal = await open();
    const ran: RunCommand[] = [];
    const due = await reportDue(journal, journal.unreported(), ran, false);
    if (due.isErr()) return err(due.error);
    const ofProxies = due.value.filter(({ error }) => !isFromGateway(error));
    // The fetch does not wait for a command if a result has just been reported, so that the caller learns of it at
    // once, or if a proxy has refused a report for the first time, so that the report is repeated soon.
    const isFirstTime = ofProxies.some(({ commandId }) => !repeated.has(commandId));
    const waitsNow = waits && ran.length === 0 && !isFirstTime;
    const wait = waitsNow ? String(waitSeconds) : "0";
    const fetched = await device.call("fetchCommands", { query: { wait, after } });
    if (fetched.isErr()) return err(fetched.error);
    const receivedAt = now();
    const { commands } = fetched.value;
    const refused = await runAll(journal, commands, receivedAt, ran, signal);
    if (refused.isErr()) return err(refused.error);
    // The gateway has answered, so a proxy that refuses a report again probably refuses its content. The commands come
    // first, because they may expire.
    const again = await reportDue(journal, ofProxies, ran, true);
    if (again.isErr()) return err(again.error);
    repeated.clear();
    for (const { commandId } of again.value) repeated.add(commandId);
    const ofGateway = due.value.filter(({ error }) => isFromGateway(error));
    const stays = [...ofGateway, ...again.value].at(-1);
    return ok({ ran, refusal: refused.value ?? stays?.error ?? null });
  }

  /** After a fault, the next poll reloads the journal, whose content is unknown then. */
  async function pollOrReload(
    waits: boolean,
    signal?: AbortSignal,
  ): Promise<Result<Polled, CommandsError>> {
    try {
      return await pollOnce(waits, signal);
    } catch (fault) {
      opened = undefined;
      return err(storageFailed(fault));
    }
  }

  const pollUntil = (waits: boolean, signal?: AbortSignal) =>
    new ResultAsync(exclusively(() => pollOrReload(waits, signal)));

  return {
    poll: ({ waits = false } = {}) =>
      pollUntil(waits).andThen(
        ({ ran, refusal }): Result<readonly RunCommand[], CommandsError> =>
          refusal === null ? ok(ran) : err(refusal),
      ),
    async run({ signal, onError = () => {} }) {
      while (!signal.aborted) {
        const begunAt = now();
        // A request that waits cannot be cancelled.
        const polled = await raceWithSignal(pollUntil(true, signal), signal);
        if (polled === null) return;
        if (polled.isErr()) {
          onError(polled.error);
          await sleep(chooseLoopDelay(minAfterErrorMs, polled.error), signal);
        } else if (polled.value.refusal !== null) {
          onError(polled.value.refusal);
          await sleep(chooseLoopDelay(paceMs, polled.value.refusal), signal);
        } else if (polled.value.ran.length === 0) {
          await sleep(Math.max(0, begunAt + paceMs - now()), signal);
        }
      }
    },
  };
}
