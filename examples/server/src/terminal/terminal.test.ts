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
  it("keeps the status line below all other output", () => {
    const { terminal, written } = streams(true);
    terminal.status("50 %");
    terminal.writeLog("log\n");
    terminal.status("100 %");
    terminal.status("");
    terminal.print("done");
    const erase = "\r\u001b[2K";
    expect(written()).toBe(`50 %${erase}log\n50 %${erase}100 %${erase}done\n`);
  });

  it("shows no status line and no escapes if the output is no terminal", () => {
    const { terminal, written } = streams(false);
    terminal.status("50 %");
    terminal.print(terminal.palette.bold("done"));
    expect(written()).toBe("done\n");
  });

  it.each([
    ["plain", false, {}],
    ["coloured", true, {}],
    ["without colours", true, { NO_COLOR: "1" }],
  ])("writes no control characters from its input: %s", (_, isTTY, environment) => {
    const { terminal, written } = streams(isTTY, environment);
    const evil = "\u001b[2J\u001b]0;title\u0007\u009b1A\r\u202e\u2028\u001b[8mhidden\b";
    terminal.print(`Mail to ${evil}\nsecond line`);
    terminal.writeLog(`${evil}\n`);
    terminal.status(`${evil}\nsecond line`);
    const own = written().replaceAll("\r\u001b[2K", "");
    expect(own).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(own).toContain("Mail to \\u001b[2J");
    expect(own.match(/\n/g)).toHaveLength(3);
  });

  it("shows its own colours, and none if the output is not coloured", () => {
    const { terminal, written } = streams(true);
    const { bold, dim, accent, good, bad } = terminal.palette;
    const text = bold(dim(accent(good(bad("x")))));
    terminal.print(text);
    expect(written()).toBe(`${text}\n`);
    const plain = streams(false);
    plain.terminal.print(text);
    expect(plain.written()).not.toContain("\u001b");
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: "" }, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ] as const)("a terminal with %o is coloured: %s", (environment, coloured) => {
    const { terminal } = streams(true, environment);
    expect(terminal.palette.good("x") !== "x").toBe(coloured);
    expect(terminal.log.coloured).toBe(coloured);
  });
});
