import { describe, expect, it } from "vitest";
import { ReceiverUnavailableError } from "./receiver.js";
import { writeLines } from "./write-lines.js";

/** A receiver that stores lines. It rejects a request with a bad one, and stores nothing of it. */
function createFakeReceiver(isBad: (line: string) => boolean) {
  const stored = new Set<string>();
  let requests = 0;
  return {
    stored,
    requests: () => requests,
    probe: () => "probe",
    async send(lines: readonly string[]) {
      requests += 1;
      const bad = lines.find(isBad);
      if (bad !== undefined) {
        return { kind: "rejected", status: 400, reason: `unable to parse ${bad}` } as const;
      }
      for (const line of lines) stored.add(line);
      return { kind: "accepted" } as const;
    },
  };
}

const linesOf = (name: string, length: number) => Array.from({ length }, (_, n) => `${name}-${n}`);
const lines = linesOf("line", 100);
/** What one call may send: the search, the requests before it, and one for each level of halves. */
const mostRequests = 128 + 3 + 10;

describe("lines that the receiver rejects", () => {
  it("are skipped and counted, and all others are written", async () => {
    const bad = new Set(["line-0", "line-41", "line-42", "line-99"]);
    const receiver = createFakeReceiver((line) => bad.has(line));
    expect(await writeLines(receiver, [lines])).toEqual({
      written: 96,
      skipped: 4,
      reason: "400: unable to parse line-0",
    });
    expect(lines.filter((line) => !receiver.stored.has(line))).toEqual([...bad]);
    expect(receiver.requests()).toBeLessThan(60);
  });

  it("may be all of them", async () => {
    const receiver = createFakeReceiver((line) => line !== "probe");
    expect(await writeLines(receiver, [lines])).toMatchObject({ written: 0, skipped: 100 });
  });

  it("are found for each of several devices", async () => {
    const devices = linesOf("device", 10).map((name) => linesOf(name, 10));
    const receiver = createFakeReceiver((line) => line.endsWith("-7"));
    expect(await writeLines(receiver, devices)).toMatchObject({ written: 90, skipped: 10 });
    const missing = devices.flat().filter((line) => !receiver.stored.has(line));
    expect(missing).toEqual(devices.map((ofDevice) => ofDevice[7]));
  });

  it("take a limited number of requests if a device has many, and the lines of all others are written", async () => {
    const others = linesOf("other", 50).map((name) => linesOf(name, 5));
    const devices = [...others.slice(0, 20), linesOf("bad", 250), ...others.slice(20)];
    const receiver = createFakeReceiver((line) => line.startsWith("bad"));
    expect(await writeLines(receiver, devices)).toMatchObject({ written: 250, skipped: 250 });
    expect([...receiver.stored].sort()).toEqual(["probe", ...others.flat()].sort());
    expect(receiver.requests()).toBeLessThanOrEqual(mostRequests);
  });

  it("take a limited number of requests if each of many devices has some", async () => {
    const devices = linesOf("device", 1_000).map((name) => linesOf(name, 2));
    const receiver = createFakeReceiver((line) => line !== "probe");
    expect(await writeLines(receiver, devices)).toMatchObject({ written: 0, skipped: 2_000 });
    expect(receiver.requests()).toBeLessThanOrEqual(mostRequests);
  });

  it("take few lines of other devices with them, wherever the devices with most of them are", async () => {
    const devices = linesOf("device", 1_000).map((name) => linesOf(name, 2));
    const isBad = (line: string) => {
      const [, device] = line.split("-").map(Number);
      return device !== undefined && (device < 500 || device === 777);
    };
    const receiver = createFakeReceiver(isBad);
    await writeLines(receiver, devices);
    const good = devices.flat().filter((line) => !isBad(line));
    expect(good.filter((line) => !receiver.stored.has(line)).length).toBeLessThan(64);
    expect(receiver.requests()).toBeLessThanOrEqual(mostRequests);
  });

  it("are kept if the receiver rejects even a line that is correct", async () => {
    const writing = writeLines(
      createFakeReceiver(() => true),
      [lines],
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
    const written = await writeLines({ ...receiver, probe: correct }, [["line-0"]]);
    expect(written).toMatchObject({ written: 1, skipped: 0 });
  });

  it("cost no further request if there are none", async () => {
    const receiver = createFakeReceiver(() => false);
    expect(await writeLines(receiver, [lines])).toEqual({
      written: 100,
      skipped: 0,
      reason: undefined,
    });
    expect(receiver.requests()).toBe(1);
  });
});
