import { expect, test } from "vitest";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import { openCommandJournal } from "./command-journal.js";

test("the journal and its storage stay small, and a restart remembers the latest commands", async () => {
  const storage = createMemoryBuffer();
  const journal = await openCommandJournal(storage);
  await journal.begin("first");
  for (let n = 0; n < 2_000; n++) {
    await journal.begin(`c${n}`);
    await journal.answer(`c${n}`, { status: "done", result: n });
    await journal.report(`c${n}`);
    expect((await storage.load()).length).toBeLessThan(2_500);
  }
  for (const one of [journal, await openCommandJournal(storage)]) {
    expect(one.unreported()).toEqual([{ commandId: "first", answer: null, isReported: false }]);
    expect(["c0", "c1743", "c1744", "c1999"].map(one.has)).toEqual([false, false, true, true]);
  }
});

test("the latest 21 commands wait for their report, and the earlier ones do not run again", async () => {
  const storage = createMemoryBuffer();
  const journal = await openCommandJournal(storage);
  for (let n = 0; n < 100; n++) {
    await journal.begin(`c${n}`);
    await journal.answer(`c${n}`, { status: "done" });
  }
  const latest = Array.from({ length: 21 }, (_, place) => `c${79 + place}`);
  for (const one of [journal, await openCommandJournal(storage)]) {
    expect(one.unreported().map(({ commandId }) => commandId)).toEqual(latest);
    expect(["c0", "c78", "c99"].map(one.has)).toEqual([true, true, true]);
  }
});

test("malformed lines of a journal are skipped", async () => {
  const storage = createMemoryBuffer();
  await storage.append(["", "x one", "b", "b one", "a one {", "r"]);
  const journal = await openCommandJournal(storage);
  expect(journal.unreported()).toEqual([{ commandId: "one", answer: null, isReported: false }]);
});
