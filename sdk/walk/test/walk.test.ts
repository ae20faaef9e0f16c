import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { bundleCommand } from "../../../scripts/bundle-command.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { describeInC } from "../../c/test/tool-chain.js";

const kit = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const runs = (program: string, ...given: readonly string[]) =>
  spawnSync(program, given).status === 0;
const missing = !(
  runs("python3", "-m", "pytest", "--version") &&
  runs("curl", "--version") &&
  runs("bash", "--version")
);
const required = Boolean(process.env["CI"]);
if (missing && !required)
  console.warn("The walk is skipped. Install bash, curl, python3 and python3-pytest (Debian).");

/** Returns the commands of the page and, for each block of them, the lines that it should print. */
function readBlocks(page: string): readonly { commands: string; lines: readonly string[] }[] {
  const blocks: { commands: string; lines: string[] }[] = [];
  for (const [, kind, text = ""] of page.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)) {
    if (kind === "sh") blocks.push({ commands: text, lines: [] });
    else blocks.at(-1)?.lines.push(...text.trim().split("\n"));
  }
  return blocks;
}

const end = "--- end of block";

describeInC("the walk", () => {
  it.skipIf(missing && !required)("works from the page alone", async () => {
    const [port, controlPort] = [await findFreePort(), await findFreePort()];
    const written = await readFile(new URL("../README.md", import.meta.url), "utf8");
    // In one pass, so that a port that contains the other number stays whole.
    const page = written.replaceAll(/\b808[01]\b/g, (shown) =>
      String(shown === "8080" ? port : controlPort),
    );
    const blocks = readBlocks(page);
    const folder = await mkdtemp(join(tmpdir(), "walk-"));
    const { program, remove } = await bundleCommand();
    onTestFinished(async () => {
      await remove();
      await rm(folder, { recursive: true, force: true });
    });
    const command = join(folder, "device-gateway");
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(command, 0o755);
    const script = blocks.map(({ commands }) => `${commands}echo "${end}"\n`).join("");
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        ...{ KIT: kit, PYTHONDONTWRITEBYTECODE: "1" },
        ...(!allTests && { OPTIMISE: "-O0" }),
        PATH: [folder, process.env["PATH"]].join(delimiter),
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    onTestFinished(() => {
      try {
        // The whole group, so that a page that fails leaves no cloud behind.
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It has ended.
      }
    });
    let printed = "";
    child.stdout.on("data", (text) => (printed += String(text)));
    child.stderr.on("data", (text) => (printed += String(text)));
    const [code] = (await once(child, "close")) as [number | null];
    expect(code, printed).toBe(0);
    const outputs = printed.split(end);
    for (const [place, { lines }] of blocks.entries()) {
      let rest = outputs[place] ?? "";
      for (const line of lines) {
        expect(rest, printed).toContain(line);
        rest = rest.slice(rest.indexOf(line) + line.length);
      }
    }
  });
});
