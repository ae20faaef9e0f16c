import { describe, expect, it } from "vitest";
import { createTerminal } from "../terminal.js";
import type { DemoEvent } from "./demo-event.js";
import { createNarrator } from "./narrate.js";

function narrate(isTTY: boolean, events: readonly DemoEvent[]): string {
  let text = "";
  const stream = {
    isTTY,
    write: (part: string) => {
      text += part;
    },
  };
  const tell = createNarrator(createTerminal(stream, stream, { NO_COLOR: "1" }));
  for (const event of events) tell(event);
  return text;
}

const total = 22_695;
const replaying: readonly DemoEvent[] = Array.from({ length: 47 }, (_, i) => ({
  kind: "replaying",
  sent: Math.min(i * 500, total),
  total,
}));
const live: DemoEvent = { kind: "live", at: 0, temperature: 73.9673, intervalSeconds: 10 };

describe("what the demo gateway tells", () => {
  it("is a plain line a quarter where nobody watches", () => {
    const text = narrate(false, [
      { kind: "registered" },
      { kind: "configured", intervalSeconds: 10 },
      ...replaying,
      { kind: "replayed", stored: total, duplicates: 0, rejected: 0 },
      live,
      live,
    ]);
    expect(text.split("\n")).toEqual([
      "  - registered as demo-gateway",
      "  - configuration read: a record every 10 s",
      "  - 0 %: 0 of 22,695 readings sent",
      "  - 25 %: 6,000 of 22,695 readings sent",
      "  - 50 %: 11,500 of 22,695 readings sent",
      "  - 75 %: 17,500 of 22,695 readings sent",
      "  - 100 %: 22,695 of 22,695 readings sent",
      "  - 22,695 readings stored",
      "  - live: the recording again from its beginning, a reading every 10 s",
      "",
    ]);
  });

  it("is a bar and a line in place on a terminal, no wider than 80 columns", () => {
    const text = narrate(true, [...replaying, { ...live, at: Date.now() }]);
    expect(text).toContain("███████████████░░░░░░░░░░░░░░░  50 %  11,500 of 22,695 readings");
    expect(text).toContain("74.0 °F");
    const frames = text.replaceAll("\r\u001b[2K", "\n").split("\n");
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(80);
  });

  it("tells of duplicates, of waiting, and why it stopped", () => {
    const text = narrate(false, [
      { kind: "waiting", seconds: 6.2, reason: "Too many requests." },
      { kind: "replayed", stored: 200, duplicates: 1_000, rejected: 3 },
      { kind: "failed", reason: "Do this." },
    ]);
    expect(text).toContain("waiting 7 s: Too many requests.");
    expect(text).toContain("200 readings stored, 1,000 were there already, 3 not accepted");
    expect(text).toContain("The demo gateway stopped. Do this.");
  });
});
