export { type CliContext, type Command, defineCommand, type ExitCode } from "./command.js";
export { commands } from "./commands.js";
export { runCommandLine } from "./run-command-line.js";
