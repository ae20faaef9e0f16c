import { describe, expect, it } from "vitest";
import { createTerminal } from "../terminal/terminal.js";
import { createDemoCommands } from "./demo-commands.js";
import type { DemoEvent } from "./demo-event.js";
import { createNarrator } from "./narrate.js";

const commands = createDemoCommands({
  url: "http://127.0.0.1:33333",
  dataDir: "/home/me/data",
  customer: true,
});
const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

function narrate(isTTY: boolean, events: readonly DemoEvent[]): string {
  let text = "";
  const stream = {
    isTTY,
    write: (part: string) => {
      text += part;
    },
  };
  const narrator = createNarrator(createTerminal(stream, stream, { NO_COLOR: "1" }), commands);
  for (const event of events) narrator(event);
  return text;
}

const total = 22_695;
const replaying: readonly DemoEvent[] = Array.from({ length: 47 }, (_, i) => ({
  kind: "replaying",
  sent: Math.min(i * 500, total),
  total,
}));
const live: DemoEvent = { kind: "live", at: 0, temperature: 73.9673, intervalSeconds: 10 };

describe("the demo gateway's narrator", () => {
  it("prints a plain line at each quarter if the output is no terminal", () => {
    const text = narrate(false, [
      { kind: "configured", intervalSeconds: 10 },
      ...replaying,
      { kind: "replayed", stored: total, duplicates: 0, rejected: 0 },
      live,
      live,
    ]);
    expect(text.split("\n")).toEqual([
      "  - configuration received: one record every 10 s",
      "  - 0 %: 0 of 22,695 readings sent",
      "  - 25 %: 6,000 of 22,695 readings sent",
      "  - 50 %: 11,500 of 22,695 readings sent",
      "  - 75 %: 17,500 of 22,695 readings sent",
      "  - 100 %: 22,695 of 22,695 readings sent",
      "  - 22,695 readings stored",
      "  - live: one reading every 10 s",
      "",
    ]);
  });

  it.each([
    ["registered", "registered as demo-gateway"],
    ["logged_in", "logged in as demo-gateway with the secret of an earlier run"],
  ] as const)("prints how to claim the gateway once it has %s", (kind, how) => {
    const text = narrate(false, [{ kind, claimCode: "ABCD-EFGH", owned: false }]);
    expect(text).toContain(`- ${how}\n`);
    expect(text).toContain("as the demo customer. Its claim code is ABCD-EFGH");
    for (const command of commands.claim("ABCD-EFGH")) {
      for (const line of command.split("\n")) expect(text).toContain(line.trim());
    }
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  it("prints the owner's page instead if the gateway already has an owner", () => {
    const text = narrate(false, [{ kind: "logged_in", claimCode: "ABCD-EFGH", owned: true }]);
    expect(text).toContain("The owner's page:\n  http://127.0.0.1:33333/devices/demo-gateway\n");
    expect(text).toContain("Read its dashboard data");
    expect(text).not.toMatch(/claim/i);
  });

  it("prints how a locked-out gateway can register again", () => {
    const text = narrate(false, [{ kind: "locked_out", retrySeconds: 15 }]);
    for (const line of commands.reEnrol.split("\n")) expect(text).toContain(line.trim());
    expect(text).toContain("delete its data folder");
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  it("shows a bar and a changing line on a terminal, at most 80 columns wide", () => {
    const text = narrate(true, [...replaying, { ...live, at: Date.now() }]);
    expect(text).toContain("███████████████░░░░░░░░░░░░░░░  50 %  11,500 of 22,695 readings");
    expect(text).toContain("74.0 °F");
    const frames = text.replaceAll("\r\u001b[2K", "\n").split("\n");
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(80);
  });

  it.each([
    [
      { code: "unknown_key" },
      "it is signed with a key that the device does not have (unknown_key)",
    ],
    [{ code: "install_failed", message: "No room." }, "No room (install_failed)"],
    [{}, undefined],
  ])("prints why firmware was rejected: %j", (why, words) => {
    const text = narrate(false, [
      { kind: "updating", state: "rejected", version: "1.4.0", progress: undefined, ...why },
    ]);
    const reason = words === undefined ? "" : `: ${words}`;
    expect(text).toBe(`  Firmware 1.4.0 rejected${reason}\n`);
  });

  it("prints duplicates, waits and the reason for a stop", () => {
    const text = narrate(false, [
      { kind: "waiting", seconds: 6.2, reason: "Too many requests." },
      { kind: "replayed", stored: 200, duplicates: 1_000, rejected: 3 },
      { kind: "failed", reason: "Do this." },
    ]);
    expect(text).toContain("waiting 7 s: Too many requests.");
    expect(text).toContain("200 readings stored, 1,000 duplicates, 3 rejected");
    expect(text).toContain("The demo gateway stopped. Do this.");
  });
});
