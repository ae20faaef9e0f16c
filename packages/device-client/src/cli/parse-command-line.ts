import { parseArgs } from "node:util";
import { reasonOf } from "../reason-of.js";
import { type CliContext, CliError, type Command, exitCodes } from "./command.js";

const usageError = (message: string, { name }: Command) =>
  new CliError(`${message}\nSee: device-gateway ${name} --help`, exitCodes.usage);

/** Returns the command with which the command line begins; if several match, the longest. */
export function findCommand(
  commands: readonly Command[],
  args: readonly string[],
): Command | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, place) => args[place] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
}

function parse(command: Command, rest: readonly string[]) {
  const options = Object.entries(command.options).map(
    ([name, { type }]) => [name, { type }] as const,
  );
  try {
    return parseArgs({
      args: [...rest],
      allowPositionals: true,
      options: Object.fromEntries(options),
    });
  } catch (fault) {
    // The messages of `parseArgs` name the option and the problem.
    throw usageError(reasonOf(fault), command);
  }
}

/**
 * Parses the arguments of a command. Environment variables replace absent options.
 * @throws {CliError} if an argument is invalid or missing.
 */
export function parseCommandLine(
  command: Command,
  rest: readonly string[],
  environment: CliContext["environment"],
) {
  const { values: given, positionals: operands } = parse(command, rest);
  const missing = command.operands.slice(operands.length);
  if (missing.length > 0) throw usageError(`${missing.join(" and ")} is missing.`, command);
  const extra = operands[command.operands.length];
  if (extra !== undefined) throw usageError(`The argument "${extra}" is not expected.`, command);

  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const { type, variable, required } = option;
    const fromVariable = variable && (environment[variable] || undefined);
    const value = given[name] ?? fromVariable ?? option.default;
    if (required && (value === undefined || value === "")) {
      const or = variable === undefined ? "" : ` or set ${variable}`;
      throw usageError(`--${name} is missing. Pass it${or}.`, command);
    }
    values[name] = type === "boolean" ? value === true : (value as string | undefined);
  }
  return { operands, values };
}
