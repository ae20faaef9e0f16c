import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createDemoAccess } from "./accounts/demo-access.js";
import { type BannerFacts, banner, curlCommands } from "./banner.js";
import { createPalette } from "./palette.js";
import { makeTempFolder, startTestServer } from "./testing/start-test-server.js";

const run = promisify(execFile);

const facts: BannerFacts = {
  url: "http://127.0.0.1:33333",
  dataDir: "/home/me/data",
  demo: true,
  claimCodeMinLength: 6,
  deviceId: "my-gateway-1a2b",
};
const plain = createPalette(false);

const demoUrl = `${facts.url}/#demo=${createDemoAccess().token}`;

describe("the banner", () => {
  it("has the link that opens the demo, whole and on one line", () => {
    expect(banner({ ...facts, demoUrl }, plain)).toContain(`Open ${demoUrl}\n`);
    expect(banner(facts, plain)).toContain(`Open ${facts.url} `);
  });

  it("fits a terminal of 80 columns", () => {
    for (const shown of [facts, { ...facts, demoUrl }]) {
      const widths = banner(shown, plain)
        .split("\n")
        .map((line) => line.length);
      expect(Math.max(...widths)).toBeLessThanOrEqual(80);
    }
  });

  it("tells where the server is, where its data lives, and what the demo does", () => {
    const text = banner(facts, plain);
    expect(text).toContain(facts.url);
    expect(text).toContain(facts.dataDir);
    expect(text).toContain("79 days of a real machine's temperature");
    expect(banner({ ...facts, demo: false }, plain)).not.toContain("Demo");
    const publicUrl = "https://gateway.example.com";
    expect(banner({ ...facts, publicUrl }, plain)).toContain(publicUrl);
  });

  it("has colour only when asked", () => {
    expect(banner(facts, plain)).not.toContain("\u001b");
    expect(banner(facts, createPalette(true))).toContain("\u001b");
  });

  it.each([6, 30])("has commands that work when pasted (claim codes of %i)", async (length) => {
    const { url } = await startTestServer({ DG_CLAIM_CODE_MIN_LENGTH: length });
    const shown = banner({ ...facts, url, claimCodeMinLength: length }, plain);
    const commands = curlCommands({ ...facts, url, claimCodeMinLength: length });
    for (const line of commands.join("\n").split("\n")) expect(shown).toContain(line.trim());

    const script = commands.join("\n");
    const { stdout } = await run("bash", ["-c", script], { cwd: await makeTempFolder() });
    const [ready, registered, sent] = stdout.split("\n");
    expect(JSON.parse(ready ?? "")).toEqual({ status: "ok" });
    expect(JSON.parse(registered ?? "")).toMatchObject({ deviceId: facts.deviceId });
    expect(JSON.parse(sent ?? "")).toMatchObject({ accepted: 1, rejected: [] });
  });
});
