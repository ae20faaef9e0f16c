import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect, it } from "vitest";
import { createWalSync } from "./wal-sync.js";

/** A disk on which the test decides when each sync ends. */
function createDisk() {
  const syncs: PromiseWithResolvers<void>[] = [];
  const file = {
    sync: () => {
      const sync = withResolvers();
      syncs.push(sync);
      return sync.promise;
    },
    close: async () => {},
  };
  return { syncs, log: createWalSync(file) };
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Returns whether the promise has resolved. */
async function isOver(promise: Promise<void> | undefined): Promise<boolean> {
  let over = false;
  void promise?.then(() => {
    over = true;
  });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return over;
}

it("syncs once before the first outcome, because a killed process may have left commits in the log", async () => {
  const { syncs, log } = createDisk();
  const first = log.whenDurable();
  expect(syncs).toHaveLength(1);
  expect(await isOver(first)).toBe(false);
  syncs[0]?.resolve();
  expect(await isOver(first)).toBe(true);
  expect(log.whenDurable()).toBeUndefined();
});

it("does not wait if everything is on disk", async () => {
  const { syncs, log } = createDisk();
  log.recordCommit();
  const durable = log.whenDurable();
  syncs[0]?.resolve();
  await durable;
  expect(log.whenDurable()).toBeUndefined();
});

it("does not count a sync that began before the commit", async () => {
  const { syncs, log } = createDisk();
  log.recordCommit();
  const first = log.whenDurable();
  log.recordCommit();
  const second = log.whenDurable();
  syncs[0]?.resolve();
  expect([await isOver(first), await isOver(second)]).toEqual([true, false]);
  syncs[1]?.resolve();
  expect(await isOver(second)).toBe(true);
});

it("syncs all commits made meanwhile at once", async () => {
  const { syncs, log } = createDisk();
  const calls = Array.from({ length: 50 }, () => {
    log.recordCommit();
    return log.whenDurable();
  });
  expect(syncs).toHaveLength(1);
  syncs[0]?.resolve();
  expect(await isOver(calls[0])).toBe(true);
  expect(syncs).toHaveLength(2);
  syncs[1]?.resolve();
  await Promise.all(calls.filter((call) => call !== undefined));
  expect(syncs).toHaveLength(2);
});

it("rejects every call after the disk has failed", async () => {
  const { syncs, log } = createDisk();
  log.recordCommit();
  const first = log.whenDurable();
  log.recordCommit();
  const second = log.whenDurable();
  syncs[0]?.reject(new Error("EIO"));
  await expect(first).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(second).rejects.toThrow("restart");
  await expect(log.whenDurable()).rejects.toThrow("restart");
  expect(syncs).toHaveLength(1);
});
