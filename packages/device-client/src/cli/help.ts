import { type Command, exitCodes, type Option } from "./command.js";

const program = "device-gateway";

/** Formats two columns. The first is as wide as its longest cell. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function describeOption(option: Option): string {
  const { help, required, default: usual, variable } = option;
  const facts = [
    required && variable === undefined ? "required" : "",
    variable !== undefined ? `or ${variable}${required ? ", required" : ""}` : "",
    usual !== undefined ? `default: ${usual}` : "",
  ].filter((fact) => fact !== "");
  return facts.length > 0 ? `${help} (${facts.join("; ")})` : help;
}

const signatureOf = (name: string, { type, value = "TEXT" }: Option) =>
  type === "boolean" ? `--${name}` : `--${name} ${value}`;

/** Returns the help of one command. */
export function commandHelp({ name, summary, operands, options, notes }: Command): string {
  const rows = Object.entries(options).map(
    ([option, declared]) => [signatureOf(option, declared), describeOption(declared)] as const,
  );
  return [
    `Usage: ${[program, name, ...operands].join(" ")} [options]`,
    "",
    summary,
    "",
    "Options:",
    ...columns([...rows, ["--help", "Shows this help."]]),
    ...(notes === undefined ? [] : ["", notes]),
  ].join("\n");
}

/** Returns the list of commands whose name begins with `prefix`. */
export function listHelp(commands: readonly Command[], prefix = ""): string {
  const listed = commands.filter(({ name }) => name.startsWith(prefix));
  return [
    `Usage: ${program} COMMAND [options]`,
    "",
    "Commands:",
    ...columns(
      listed.map(
        ({ name, operands, summary }) => [[name, ...operands].join(" "), summary] as const,
      ),
    ),
    "",
    `Help for one command: ${program} COMMAND --help`,
    `Version: ${program} --version`,
    `Exit codes: ${exitCodes.done} success, ${exitCodes.refused} rejected, ${exitCodes.usage} invalid command line, ${exitCodes.unavailable} no response (try again later).`,
  ].join("\n");
}
