import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { disableWhenIdle, storagesAreFree } from "./disable-when-idle.js";

/** Whether a storage is enabled: only then does it keep a value that was entered. */
function isEnabled(storage: AsyncLocalStorage<string>): boolean {
  return storage.getStore() !== undefined;
}

describe.skipIf(storagesAreFree)("before Node 24", () => {
  test("each run has its own value, and the storage is disabled after the last", async () => {
    const storage = disableWhenIdle(new AsyncLocalStorage<string>());
    const ends: (() => void)[] = [];
    const runs = ["one", "two"].map((value) =>
      storage.run(value, async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return storage.getStore();
      }),
    );
    ends[0]?.();
    expect(await runs[0]).toBe("one");
    storage.enterWith("entered");
    await Promise.resolve();
    expect(isEnabled(storage)).toBe(true);
    ends[1]?.();
    expect(await runs[1]).toBe("two");
    await Promise.resolve();
    expect(isEnabled(storage)).toBe(false);
    expect(storage.run("again", () => storage.getStore())).toBe("again");
  });

  test("a run inside a run keeps the outer one's value", async () => {
    const storage = disableWhenIdle(new AsyncLocalStorage<string>());
    const seen = await storage.run("outer", async () => {
      const inner = await storage.run("inner", async () => storage.getStore());
      await Promise.resolve();
      return [inner, storage.getStore()];
    });
    expect(seen).toEqual(["inner", "outer"]);
  });

  test("a run that throws ends, and its error is passed on", async () => {
    const storage = disableWhenIdle(new AsyncLocalStorage<string>());
    const fail = () => {
      throw new Error("failed");
    };
    expect(() => storage.run("thrown", fail)).toThrow("failed");
    await expect(storage.run("rejected", async () => fail())).rejects.toThrow("failed");
    storage.enterWith("entered");
    await storage.run("last", async () => {});
    await Promise.resolve();
    expect(isEnabled(storage)).toBe(false);
  });

  test("a storage is only wrapped once", () => {
    const storage = disableWhenIdle(new AsyncLocalStorage<string>());
    const { run } = storage;
    expect(disableWhenIdle(storage).run).toBe(run);
  });
});
