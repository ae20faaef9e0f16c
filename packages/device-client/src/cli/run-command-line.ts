import { type CliContext, CliError, type Command, type ExitCode, exitCodes } from "./command.js";
import { commandHelp, listHelp } from "./help.js";
import { findCommand, parseCommandLine } from "./parse-command-line.js";

/**
 * Runs one command line and returns its exit code. A {@link CliError} is logged. It rejects only after
 * an unexpected fault.
 *
 * @example
 * process.exitCode = await runCommandLine(commands, process.argv.slice(2), context);
 */
export async function runCommandLine(
  commands: readonly Command[],
  args: readonly string[],
  context: CliContext,
): Promise<ExitCode> {
  const command = findCommand(commands, args);
  const wantsHelp = args.length === 0 || args.includes("--help") || args.includes("-h");
  if (args[0] === "--version") {
    context.print(context.version);
    return exitCodes.done;
  }
  if (command === undefined) {
    const known = commands.some(({ name }) => name.startsWith(`${args[0]} `));
    if (!wantsHelp && (!known || args.length > 1))
      context.log(`There is no command "${args.join(" ")}".\n`);
    const list = listHelp(commands, known ? args[0] : "");
    if (wantsHelp) context.print(list);
    else context.log(list);
    return wantsHelp ? exitCodes.done : exitCodes.usage;
  }
  if (wantsHelp) {
    context.print(commandHelp(command));
    return exitCodes.done;
  }
  try {
    const rest = args.slice(command.name.split(" ").length);
    await command.run(context, parseCommandLine(command, rest, context.environment));
    return exitCodes.done;
  } catch (fault) {
    if (!(fault instanceof CliError)) throw fault;
    context.show?.("");
    context.log(fault.message);
    return fault.exitCode;
  }
}
