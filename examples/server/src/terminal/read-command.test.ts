import { expect, it } from "vitest";
import { readCommand } from "./read-command.js";

const commands = { "back-up": "copies", "rebuild-roll-ups": "rebuilds" };

it.each([[[]], [["--demo"]]])("%j starts the server", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "serve" });
});

it.each([
  [["back-up", "/mnt/x"]],
  // The arguments of `npm start -- back-up /mnt/x`.
  [["--demo", "back-up", "/mnt/x"]],
])("%j runs the command", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "run", command: "copies", rest: ["/mnt/x"] });
});

it.each([[["--help"]], [["-h"]], [["--demo", "--help"]]])("%j prints the help", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "help" });
});

it.each([
  [["backup", "/mnt/x"], "backup"],
  [["--demo", "--port"], "--port"],
  [["--demo", "--demo"], "--demo"],
  [["toString"], "toString"],
])("%j starts no server and lists the commands", (args, unknown) => {
  expect(readCommand(args, commands)).toEqual({
    kind: "unknown",
    sentence: `There is no command ${unknown}. The commands are back-up and rebuild-roll-ups. Without a command, the server starts. For help, use --help.`,
  });
});
