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

  it("are not safe while they wait to be written again", () => {
    const { clock, settling } = atTime();
    settling.noteAccepted("a");
    settling.noteDisconnected();
    expect(settling.takeRepeat()).toBe(true);
    settling.noteAccepted("a2");
    clock.now = 5;
    settling.noteDisconnected();
    expect(settling.takeRepeat()).toBe(false);
    clock.now = 25;
    expect(settling.takeSafe()).toBeNull();
    expect(settling.takeRepeat()).toBe(true);
    settling.noteAccepted("a3");
    clock.now = 35;
    expect(settling.takeSafe()).toBe("a3");
  });

  it("are safe if they were accepted long enough before the connection ended", () => {
    const { clock, settling } = atTime();
    settling.noteAccepted("a");
    clock.now = 10;
    settling.noteAccepted("b");
    settling.noteDisconnected();
    expect(settling.takeSafe()).toBe("a");
    clock.now = 30;
    expect(settling.takeSafe()).toBeNull();
    expect(settling.takeRepeat()).toBe(true);
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
