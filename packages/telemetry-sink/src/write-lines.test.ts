import { describe, expect, it } from "vitest";
import { ReceiverUnavailableError } from "./receiver.js";
import { writeLines } from "./write-lines.js";

/** A receiver that stores lines, and rejects a request with a bad one. */
function createFakeReceiver(isBad: (line: string) => boolean) {
  const stored = new Set<string>();
  let requests = 0;
  return {
    stored,
    requests: () => requests,
    probe: () => "probe",
    async send(lines: readonly string[]) {
      requests += 1;
      for (const line of lines) if (!isBad(line)) stored.add(line);
      const bad = lines.find(isBad);
      if (bad === undefined) return { kind: "accepted" } as const;
      return { kind: "rejected", status: 400, reason: `unable to parse ${bad}` } as const;
    },
  };
}

const lines = Array.from({ length: 100 }, (_, n) => `line-${n}`);

describe("lines that the receiver rejects", () => {
  it("are skipped and counted, and all others are written", async () => {
    const bad = new Set(["line-0", "line-41", "line-42", "line-99"]);
    const receiver = createFakeReceiver((line) => bad.has(line));
    expect(await writeLines(receiver, lines)).toEqual({
      written: 96,
      skipped: 4,
      reason: "400: unable to parse line-0",
    });
    expect(lines.filter((line) => !receiver.stored.has(line))).toEqual([...bad]);
    expect(receiver.requests()).toBeLessThan(60);
  });

  it("may be all of them", async () => {
    const receiver = createFakeReceiver((line) => line !== "probe");
    expect(await writeLines(receiver, lines)).toMatchObject({ written: 0, skipped: 100 });
  });

  it("are kept if the receiver rejects even a line that is correct", async () => {
    const writing = writeLines(
      createFakeReceiver(() => true),
      lines,
    );
    await expect(writing).rejects.toBeInstanceOf(ReceiverUnavailableError);
  });

  it("are written if the receiver is corrected before it gets the line that is correct", async () => {
    let isCorrected = false;
    const receiver = createFakeReceiver(() => !isCorrected);
    const correct = () => {
      isCorrected = true;
      return "probe";
    };
    const written = await writeLines({ ...receiver, probe: correct }, ["line-0"]);
    expect(written).toMatchObject({ written: 1, skipped: 0 });
  });

  it("cost no further request if there are none", async () => {
    const receiver = createFakeReceiver(() => false);
    expect(await writeLines(receiver, lines)).toEqual({
      written: 100,
      skipped: 0,
      reason: undefined,
    });
    expect(receiver.requests()).toBe(1);
  });
});
