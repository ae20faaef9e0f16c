import { type Command, exitCodes, type Option } from "./command.js";

const program = "device-gateway";

/** Two columns, the first as wide as its longest line. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function describeOption(option: Option): string {
  const { help, required, default: usual, variable } = option;
  const facts = [
    required && variable === undefined ? "needed" : "",
    variable !== undefined ? `or ${variable}${required ? ", needed" : ""}` : "",
    usual !== undefined ? `default: ${usual}` : "",
  ].filter((fact) => fact !== "");
  return facts.length > 0 ? `${help} (${facts.join("; ")})` : help;
}

const signatureOf = (name: string, { type, value = "TEXT" }: Option) =>
  type === "boolean" ? `--${name}` : `--${name} ${value}`;

/** The help of one command. */
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
    ...columns([...rows, ["--help", "Shows this."]]),
    ...(notes === undefined ? [] : ["", notes]),
  ].join("\n");
}

/** The list of commands; those that begin with `prefix`, if there is one. */
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
    `What one needs: ${program} COMMAND --help`,
    `Which version this is: ${program} --version`,
    `Exit codes: ${exitCodes.done} done, ${exitCodes.refused} refused, ${exitCodes.usage} wrong command line, ${exitCodes.unavailable} no answer: try again later.`,
  ].join("\n");
}
