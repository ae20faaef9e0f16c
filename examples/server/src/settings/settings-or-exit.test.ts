import { describe, expect, it } from "vitest";
import { settingsOrExit } from "./settings-or-exit.js";

function start(environment: Record<string, string>, ...args: string[]) {
  const lines: string[] = [];
  let exitCode: number | undefined;
  const exit = (code: number) => {
    exitCode = code;
    throw new Error("exit");
  };
  const write = (line: string) => lines.push(line);
  const run = () => settingsOrExit({ environment, arguments: args, folder: "/srv", write, exit });
  return { run, lines, exitCode: () => exitCode };
}

describe("settingsOrExit", () => {
  it.each([
    [{}, [], false],
    [{}, ["--demo"], true],
    [{ DEMO: "" }, ["--demo"], true],
    [{ DEMO: "0" }, ["--demo"], false],
    [{ DEMO: "1" }, [], true],
  ] as const)(
    "reads the environment %o and the arguments %o as DEMO=%s",
    (environment, args, demo) => {
      expect(start(environment, ...args).run().DEMO).toBe(demo);
    },
  );

  it("resolves a relative DATA_DIR against the folder where the command was typed", () => {
    expect(start({ DATA_DIR: "x" }).run().DATA_DIR).toBe("/srv/x");
    expect(start({ INIT_CWD: "/home/me" }).run().DATA_DIR).toBe("/home/me/data");
    expect(start({ INIT_CWD: "/home/me", DATA_DIR: "/var/x" }).run().DATA_DIR).toBe("/var/x");
  });

  it("resolves the firmware folders in the same way", () => {
    const paths = { FIRMWARE_DIR: "images", FIRMWARE_KEYS: "../keys" };
    expect(start({ INIT_CWD: "/home/me", ...paths }).run()).toMatchObject({
      FIRMWARE_DIR: "/home/me/images",
      FIRMWARE_KEYS: "/home/keys",
    });
    const { FIRMWARE_DIR, FIRMWARE_KEYS } = start({ INIT_CWD: "/home/me" }).run();
    expect([FIRMWARE_DIR, FIRMWARE_KEYS]).toEqual([undefined, undefined]);
  });

  it("prints every problem and exits with 2", () => {
    const { run, lines, exitCode } = start({ PORT: "x", DEMO: "x", DG_TYPO: "1" });
    expect(run).toThrow("exit");
    expect(exitCode()).toBe(2);
    expect(lines).toHaveLength(4);
  });

  it("prints a warning and continues", () => {
    const { run, lines } = start({ DG_TOKEN_TTL_SECOND: "1" });
    run();
    expect(lines.join()).toContain("Did you mean DG_TOKEN_TTL_SECONDS?");
  });
});
