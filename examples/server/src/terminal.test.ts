import { describe, expect, it } from "vitest";
import { createTerminal } from "./terminal.js";

function streams(isTTY: boolean, environment: Record<string, string> = {}) {
  let text = "";
  const stream = {
    isTTY,
    write: (part: string) => {
      text += part;
    },
  };
  return { terminal: createTerminal(stream, stream, environment), written: () => text };
}

describe("createTerminal", () => {
  it("keeps the status line below what is printed and logged", () => {
    const { terminal, written } = streams(true);
    terminal.status("50 %");
    terminal.writeLog("log\n");
    terminal.status("100 %");
    terminal.status("");
    terminal.print("done");
    const erase = "\r\u001b[2K";
    expect(written()).toBe(`50 %${erase}log\n50 %${erase}100 %${erase}done\n`);
  });

  it("has no status line and no escapes where nobody watches", () => {
    const { terminal, written } = streams(false);
    terminal.status("50 %");
    terminal.print(terminal.palette.bold("done"));
    expect(written()).toBe("done\n");
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: "" }, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ] as const)("on a terminal with %o, colours: %s", (environment, coloured) => {
    const { terminal } = streams(true, environment);
    expect(terminal.palette.good("x") !== "x").toBe(coloured);
    expect(terminal.log.coloured).toBe(coloured);
  });
});
