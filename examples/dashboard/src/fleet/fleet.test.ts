import { beforeEach, expect, test, vi } from "vitest";
import { site } from "../session.js";
import { fleet, invalidateFleet, readFleet } from "./fleet.js";

const signIn = (email: string) => {
  const account = { email, name: "", emailVerified: true, operator: false };
  site.value = {
    ...{ url: "http://gateway.test", demo: null },
    account: { ...account, secondFactor: false, lacksFactor: false },
  };
};

/** Replaces the API. Each request waits until the test answers it with the ids of a user's devices. */
function stubApi() {
  const waiting: ((ids: readonly string[]) => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise<Response>((resolve) => {
        waiting.push((ids) => {
          const devices = ids.map((deviceId) => ({ deviceId }));
          resolve(Response.json({ devices, nextCursor: null }));
        });
      }),
  );
  return { answer: (ids: readonly string[]) => waiting.shift()?.(ids) };
}

const shown = () => fleet.value.devices.map(({ deviceId }) => deviceId);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  return () => {
    site.value = undefined;
    vi.useRealTimers();
  };
});

test("the list of devices is dropped when another user signs in or the session ends", async () => {
  const { answer } = stubApi();
  for (const next of [() => signIn("bob@example.com"), () => (site.value = "unreachable")]) {
    signIn("ann@example.com");
    const read = readFleet();
    answer(["ann-1"]);
    await read;
    expect(shown()).toEqual(["ann-1"]);
    next();
    expect(shown()).toEqual([]);
  }
});

test("a list that arrives after its user signed out is not shown to the next user", async () => {
  const { answer } = stubApi();
  signIn("ann@example.com");
  const late = readFleet();
  signIn("bob@example.com");
  const own = readFleet();
  answer(["ann-1"]);
  await late;
  expect(shown()).toEqual([]);
  answer(["bob-1"]);
  await own;
  expect(shown()).toEqual(["bob-1"]);
});

test("a list that was read before a change does not replace the one after it, and the shown list stays until then", async () => {
  const { answer } = stubApi();
  signIn("ann@example.com");
  const first = readFleet();
  answer(["old"]);
  await first;
  const early = readFleet();
  const changed = invalidateFleet();
  answer(["old", "early"]);
  await early;
  expect(shown()).toEqual(["old"]);
  answer(["new"]);
  await changed;
  expect(shown()).toEqual(["new"]);
});
