import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { bundleCommand } from "../../../scripts/bundle-command.js";

const folder = fileURLToPath(new URL("../..", import.meta.url));
const missing = spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0;
const required = Boolean(process.env["CI"]);
if (missing && !required)
  console.warn("The tests in Python are skipped. Install python3 and python3-pytest (Debian).");

it.skipIf(missing && !required)(
  "§4 §6 the pytest plugin and the MicroPython client pass their tests in Python",
  async () => {
    const { program, remove } = await bundleCommand();
    onTestFinished(remove);
    const command = `"${process.execPath}" "${program}" test-cloud`;
    const child = spawn("python3", ["-B", "-m", "pytest", "-q"], {
      cwd: folder,
      env: { ...process.env, DEVICE_GATEWAY_TEST_CLOUD: command },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    child.stdout.on("data", (text) => (printed += String(text)));
    child.stderr.on("data", (text) => (printed += String(text)));
    const [code] = (await once(child, "close")) as [number | null];
    expect(code, printed).toBe(0);
    expect(printed).toMatch(/^[1-9]\d+ passed in/m);
  },
);
