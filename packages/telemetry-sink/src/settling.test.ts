import { describe, expect, it } from "vitest";
import { createSettling } from "./settling.js";

function atTime() {
  const clock = { now: 0 };
  return { clock, settling: createSettling(10, () => clock.now) };
}

describe("lines that the receiver accepted", () => {
  it("are safe after a while", () => {
    const { clock, settling } = atTime();
    settling.noteAccepted("a");
    clock.now = 5;
    settling.noteAccepted("b");
    expect(settling.takeSafe()).toBeNull();
    clock.now = 14;
    expect(settling.takeSafe()).toBe("a");
    expect(settling.takeSafe()).toBeNull();
    clock.now = 15;
    expect(settling.takeSafe()).toBe("b");
  });

  it("are written again after a connection has ended, if they are not safe", () => {
    const { settling } = atTime();
    settling.noteDisconnected();
    expect(settling.takeRepeat()).toBe(false);
    settling.noteAccepted("a");
    expect(settling.takeRepeat()).toBe(false);
    settling.noteDisconnected();
    expect(settling.takeRepeat()).toBe(true);
    expect(settling.takeRepeat()).toBe(false);
  });

  it("become safe even if every connection ends at once", () => {
    const { clock, settling } = atTime();
    const safe: string[] = [];
    for (; clock.now < 60; clock.now++) {
      settling.takeRepeat();
      settling.noteAccepted(`${clock.now}`);
      settling.noteDisconnected();
      const cursor = settling.takeSafe();
      if (cursor !== null) safe.push(cursor);
    }
    expect(safe.length).toBeGreaterThan(10);
  });
});
