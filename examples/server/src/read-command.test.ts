import { expect, it } from "vitest";
import { readCommand } from "./read-command.js";

const commands = { "back-up": "copies", "rebuild-roll-ups": "rebuilds" };

it.each([[[]], [["--demo"]]])("serves with %j", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "serve" });
});

it.each([
  [["back-up", "/mnt/x"]],
  // What `npm start -- back-up /mnt/x` comes to.
  [["--demo", "back-up", "/mnt/x"]],
])("finds the command in %j", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "run", command: "copies", rest: ["/mnt/x"] });
});

it.each([[["--help"]], [["-h"]], [["--demo", "--help"]]])("helps with %j", (args) => {
  expect(readCommand(args, commands)).toEqual({ kind: "help" });
});

it.each([
  [["backup", "/mnt/x"], "backup"],
  [["--demo", "--port"], "--port"],
  [["--demo", "--demo"], "--demo"],
  [["toString"], "toString"],
])("starts no server with %j, and lists the commands", (args, unknown) => {
  expect(readCommand(args, commands)).toEqual({
    kind: "unknown",
    sentence: `There is no command ${unknown}. The commands are back-up and rebuild-roll-ups; without one, the server starts. --help says more.`,
  });
});
