export type CommandReading<Command> =
  | { readonly kind: "serve" | "help" }
  | { readonly kind: "run"; readonly command: Command; readonly rest: readonly string[] }
  | { readonly kind: "unknown"; readonly sentence: string };

/**
 * Reads the command from the program's arguments. `npm start` puts `--demo` before them. An unknown word is an error: it
 * must not start a second server on the data of the first.
 */
export function readCommand<Command>(
  args: readonly string[],
  commands: Readonly<Record<string, Command>>,
): CommandReading<Command> {
  const [name, ...rest] = args[0] === "--demo" ? args.slice(1) : args;
  if (name === undefined) return { kind: "serve" };
  if (name === "--help" || name === "-h") return { kind: "help" };
  const command = Object.entries(commands).find(([known]) => known === name)?.[1];
  if (command !== undefined) return { kind: "run", command, rest };
  const names = new Intl.ListFormat("en", { style: "long" }).format(Object.keys(commands));
  const sentence = `There is no command ${name}. The commands are ${names}. Without a command, the server starts. For help, use --help.`;
  return { kind: "unknown", sentence };
}
