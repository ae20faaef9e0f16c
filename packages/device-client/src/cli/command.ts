import type { Fetch } from "../call-route.js";

/** What a command reads and writes. Everything that tests must control is here. */
export interface CliContext {
  /** A line of the result. */
  readonly print: (line: string) => void;
  /** A line that tells how it goes. */
  readonly tell: (line: string) => void;
  /** Shows a line in place of the last one; null without a terminal. */
  readonly show: ((line: string) => void) | null;
  /** This package's. */
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Option {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
  readonly default?: string;
  /** The environment variable that is read without the option. */
  readonly variable?: string;
}

export type Options = Readonly<Record<string, Option>>;

type Value<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { required: true } | { default: string }
    ? string
    : string | undefined;

export type Values<O extends Options> = { readonly [Name in keyof O]: Value<O[Name]> };

/** What a command did: 0, or an exit code of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodes = {
  done: 0,
  /** The server, or the machine, says no: something has to change first. */
  refused: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No answer, or not now: the same command may work later. */
  unavailable: 3,
} as const;

/** Why a command stops: a sentence that says what to do, and its exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** One command of `device-gateway`, as the table of commands has it. */
export interface Command {
  /** Its words, such as `firmware publish`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What stands behind the name, in order, such as `IMAGE`. All must be given. */
  readonly operands: readonly string[];
  readonly options: Options;
  /** Examples and what else there is to know; below the options in the help. */
  readonly notes?: string;
  run(
    context: CliContext,
    input: {
      readonly operands: readonly string[];
      readonly values: Readonly<Record<string, string | boolean | undefined>>;
    },
  ): Promise<void>;
}

/** Declares a command whose values are typed by its options. @throws {CliError} from `run` only. */
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
