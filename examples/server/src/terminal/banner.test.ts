import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createDemoAccess } from "../accounts/demo/demo-access.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { isMissing } from "../testing/missing-program.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import { type BannerOptions, banner, curlCommands } from "./banner.js";
import { createPalette } from "./palette.js";

useCheapScrypt();

const run = promisify(execFile);
const lacksShell = isMissing("bash", "--version") || isMissing("curl", "--version");

const options: BannerOptions = {
  url: "http://127.0.0.1:33333",
  dataDir: "/home/me/data",
  postgres: false,
  accounts: true,
  demo: true,
  claimCodeMinLength: 6,
  deviceId: "my-gateway-1a2b",
};
const plain = createPalette(false);

const demoUrl = `${options.url}/#demo=${createDemoAccess().token}`;

describe("the banner", () => {
  it("shows the link that opens the demo, unbroken on one line", () => {
    expect(banner({ ...options, demoUrl }, plain)).toContain(`Open ${demoUrl}\n`);
    expect(banner(options, plain)).toContain(`Open ${options.url} `);
  });

  it("fits a terminal of 80 columns", () => {
    for (const shown of [options, { ...options, demoUrl }, { ...options, postgres: true }]) {
      const widths = banner(shown, plain)
        .split("\n")
        .map((line) => line.length);
      expect(Math.max(...widths)).toBeLessThanOrEqual(80);
    }
  });

  it("shows the server's URL, the data folder and what the demo does", () => {
    const text = banner(options, plain);
    expect(text).toContain(options.url);
    expect(text).toContain(options.dataDir);
    expect(text).toContain("79 days of a real machine's temperature");
    expect(banner({ ...options, demo: false }, plain)).not.toContain("Demo");
    const publicUrl = "https://gateway.example.com";
    expect(banner({ ...options, publicUrl }, plain)).toContain(publicUrl);
  });

  it("says that the folder may be deleted only if the database is in it", () => {
    expect(banner(options, plain)).toContain("delete both to start over");
    const text = banner({ ...options, postgres: true }, plain);
    expect(text).toContain("secrets; without them, the database cannot be used");
    expect(text).not.toContain("delete");
  });

  it("does not name the page if there are no accounts", () => {
    const text = banner({ ...options, accounts: false }, plain);
    expect(text).not.toMatch(/Open|sign up|claim, watch/);
  });

  it("shows where the metrics are, if there are any", () => {
    expect(banner(options, plain)).not.toContain("Metrics");
    const metricsUrl = "http://127.0.0.1:44444";
    expect(banner({ ...options, metricsUrl }, plain)).toContain(`Metrics  ${metricsUrl}/metrics\n`);
  });

  it("has colour only if the palette has", () => {
    expect(banner(options, plain)).not.toContain("\u001b");
    expect(banner(options, createPalette(true))).toContain("\u001b");
  });

  it.skipIf(lacksShell).each([6, 30])(
    "shows commands that work when pasted (claim codes of %i characters)",
    async (length) => {
      const { url } = await startTestServer({ DG_CLAIM_CODE_MIN_LENGTH: length });
      const shown = banner({ ...options, url, claimCodeMinLength: length }, plain);
      const commands = curlCommands({ ...options, url, claimCodeMinLength: length });
      for (const line of commands.join("\n").split("\n")) expect(shown).toContain(line.trim());

      const script = commands.join("\n");
      const { stdout } = await run("bash", ["-c", script], { cwd: await makeTempFolder() });
      const [ready, registered, sent] = stdout.split("\n");
      expect(JSON.parse(ready ?? "")).toEqual({ status: "ok" });
      expect(JSON.parse(registered ?? "")).toMatchObject({ deviceId: options.deviceId });
      expect(JSON.parse(sent ?? "")).toMatchObject({ accepted: 1, rejected: [] });
    },
  );
});
