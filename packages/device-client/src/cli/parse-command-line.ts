import { parseArgs } from "node:util";
import { reasonOf } from "../reason-of.js";
import { type CliContext, CliError, type Command, exitCodes } from "./command.js";

const wrong = (message: string, { name }: Command) =>
  new CliError(`${message}\nSee: device-gateway ${name} --help`, exitCodes.usage);

/** The command whose words the command line begins with, the longest first. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): Command | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, place) => words[place] === word))
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
    // Its sentences name the option and say what is missing.
    throw wrong(reasonOf(fault), command);
  }
}

/**
 * Reads what stands behind a command's words; variables of the environment stand in for options.
 * @throws {CliError} that says what is wrong, or missing.
 */
export function parseCommandLine(
  command: Command,
  rest: readonly string[],
  environment: CliContext["environment"],
) {
  const { values: given, positionals: operands } = parse(command, rest);
  const missing = command.operands.slice(operands.length);
  if (missing.length > 0) throw wrong(`${missing.join(" and ")} is missing.`, command);
  const spare = operands[command.operands.length];
  if (spare !== undefined) throw wrong(`Nothing is expected where "${spare}" stands.`, command);

  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const { type, variable, required } = option;
    const fromVariable = variable && (environment[variable] || undefined);
    const value = given[name] ?? fromVariable ?? option.default;
    if (required && (value === undefined || value === "")) {
      const or = variable === undefined ? "" : `, or set ${variable}`;
      throw wrong(`--${name} is missing. Give it${or}.`, command);
    }
    values[name] = type === "boolean" ? value === true : (value as string | undefined);
  }
  return { operands, values };
}
