import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { describeUpdateEnd } from "./describe-update-end.js";

const failed = (lastResult: string, message: string | null = null) =>
  describeUpdateEnd({ state: "failed", lastResult, message });

test("each error code of the reference updater has a sentence", async () => {
  const updater = new URL("../../../../packages/device-client/src/update/", import.meta.url);
  const entries = await readdir(updater, { recursive: true });
  const files = entries.filter((name) => /(?<!\.test)\.ts$/.test(name));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, updater), "utf8")));
  const found = sources.join("").matchAll(/(?:code: |\brefused\()"(\w+)"/g);
  const codes = new Set([...found].map(([, code = ""]) => code));
  expect(codes.size).toBeGreaterThan(10);
  for (const code of codes) expect(failed(code)).toMatch(/^[A-Z].* .*\.$/);
});

test("for an unknown code the device's own sentence is shown, or else the code", () => {
  expect(failed("E42", "No room.")).toBe("No room.");
  expect(failed("E42")).toBe("E42");
  expect(failed("constructor")).toBe("constructor");
  expect(failed("failed")).toBeNull();
  expect(failed("flash_failed", "EIO")).not.toBe("EIO");
});
