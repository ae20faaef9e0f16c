import { readFile } from "node:fs/promises";
import { commands } from "./commands.js";
import { runCommandLine } from "./run-command-line.js";

const { stdout, stderr } = process;
// The reader of the output may close it early, as `| head` does.
for (const stream of [stdout, stderr]) stream.on("error", () => {});

const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
const { version } = JSON.parse(manifest) as { version: string };

const clearLine = "\r\u001b[2K";

process.exitCode = await runCommandLine(commands, process.argv.slice(2), {
  print: (line) => void stdout.write(`${line}\n`),
  log: (line) => void stderr.write(`${line}\n`),
  show: stderr.isTTY
    ? (line) => void stderr.write(clearLine + line.slice(0, stderr.columns - 1))
    : null,
  version,
  environment: process.env,
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
});
