import type { Fetch } from "../call-route.js";

/** The input and output of a command. Tests replace all of it. */
export interface CliContext {
  /** Writes a line of the result. */
  readonly print: (line: string) => void;
  /** Writes a line about progress, a warning or an error. */
  readonly log: (line: string) => void;
  /** Replaces the current line of the terminal. Null without a terminal. */
  readonly show: ((line: string) => void) | null;
  /** The version of this package. */
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Waits until a command that runs without end should stop. Default: SIGINT, SIGTERM, the end of the standard input. */
  readonly untilStopped?: (by: { readonly withInput: boolean }) => Promise<void>;
}

export interface Option {
  readonly type: "string" | "boolean";
  /** Placeholder of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
  readonly default?: string;
  /** The environment variable that is read if the option is absent. */
  readonly variable?: string;
}

export type Options = Readonly<Record<string, Option>>;

type Value<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { required: true } | { default: string }
    ? string
    : string | undefined;

export type Values<O extends Options> = { readonly [Name in keyof O]: Value<O[Name]> };

/** One of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodes = {
  done: 0,
  /** The server or the file system rejected the command. Repeating it does not help. */
  refused: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The server did not respond or is busy. The same command may work later. */
  unavailable: 3,
} as const;

/** Why a command failed: a sentence that says what to do, and the exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** One command of `device-gateway`. */
export interface Command {
  /** The words of the command, such as `firmware publish`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The required arguments after the name, in order, such as `IMAGE`. */
  readonly operands: readonly string[];
  readonly options: Options;
  /** Notes and examples, which the help shows below the options. */
  readonly notes?: string;
  run(
    context: CliContext,
    input: {
      readonly operands: readonly string[];
      readonly values: Readonly<Record<string, string | boolean | undefined>>;
    },
  ): Promise<void>;
}

/**
 * Defines a command. Its options give the values their types. Only `run` throws, a {@link CliError}.
 *
 * @example
 * const ping = defineCommand({
 *   name: "ping",
 *   summary: "Checks that a server responds.",
 *   operands: ["URL"],
 *   options: {},
 *   run: async ({ print, fetch }, { operands: [url] }) => print(`${(await fetch(url)).status}`),
 * });
 */
export function defineCommand<const O extends Options, const P extends readonly string[]>(
  command: Omit<Command, "run" | "options" | "operands"> & {
    readonly operands: P;
    readonly options: O;
    run(
      context: CliContext,
      input: { readonly operands: { [K in keyof P]: string }; readonly values: Values<O> },
    ): Promise<void>;
  },
): Command {
  const { run } = command;
  return {
    ...command,
    run: (context, { operands, values }) =>
      run(context, {
        operands: operands as { [K in keyof P]: string },
        values: values as Values<O>,
      }),
  };
}
