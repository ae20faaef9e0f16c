import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { oncePerRun, runFolderVariable } from "./once-per-run.js";

function useOwnRunFolder() {
  const folder = mkdtempSync(join(tmpdir(), "once-per-run-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv(runFolderVariable, folder);
}

it("fills a folder once, and the others wait for it", async () => {
  useOwnRunFolder();
  let filled = 0;
  const fill = (folder: string) => writeFile(join(folder, "number"), String(++filled));
  const folders = await Promise.all(Array.from({ length: 4 }, () => oncePerRun("x", fill)));
  expect(new Set(folders).size).toBe(1);
  expect([filled, readFileSync(join(folders[0] ?? "", "number"), "utf8")]).toEqual([1, "1"]);
});

it("reports the error of a failed attempt, and lets the next one try again", async () => {
  useOwnRunFolder();
  await expect(oncePerRun("x", () => Promise.reject(new Error("planted")))).rejects.toThrow(
    "planted",
  );
  await expect(oncePerRun("x", async () => {})).resolves.toMatch(/x$/);
});
