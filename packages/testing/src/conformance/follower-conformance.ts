import { type GatewayStore, mostAheadMs } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardText } from "./samples/awkward-values.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const name = "sender";
const take = (store: GatewayStore, holder: string, at: number, until = at + 1_000) =>
  store.followers.take({ name, holder, at, until });
const advance = (store: GatewayStore, holder: string, cursor: string) =>
  store.followers.advance({ name, holder, cursor });

/** Cases for `FollowerStore`. */
export const followerCases: readonly StoreCase[] = [
  toCase("follower: keeps its cursor, and every follower has its own", async ([a, b]) => {
    expect(await take(a, "one", 5_000)).toEqual({ cursor: "" });
    expect(await advance(b, "one", awkwardText)).toBe(true);
    expect(await take(a, "one", 5_100)).toEqual({ cursor: awkwardText });
    const other = { name: "Sender", holder: "two", at: 5_000, until: 6_000 };
    expect(await b.followers.take(other)).toEqual({ cursor: "" });
  }),

  toCase("follower: another holder gets the lease when it has expired", async ([a, b]) => {
    await take(a, "one", 5_000);
    await advance(a, "one", "7");
    expect(await take(b, "two", 5_999)).toBeNull();
    expect(await advance(b, "two", "8")).toBe(false);
    // The holder renews it, and keeps an expired one that nobody took.
    expect(await take(a, "one", 5_999)).toEqual({ cursor: "7" });
    expect(await take(b, "two", 6_998)).toBeNull();
    expect(await advance(a, "one", "9")).toBe(true);
    expect(await take(b, "two", 6_999)).toEqual({ cursor: "9" });
    expect(await advance(a, "one", "10")).toBe(false);
    expect(await take(a, "one", 7_000)).toBeNull();
  }),

  toCase("follower: a lease that a clock far ahead wrote is free", async ([a, b]) => {
    const until = 6_000 + mostAheadMs;
    await take(a, "one", 5_000, until);
    await advance(a, "one", "7");
    expect(await take(b, "two", 5_000, 6_000)).toBeNull();
    // A process that copies to a cell may take a lease that has already expired (`until` 0). Compared with that, an
    // ordinary lease does not count as written by a wrong clock.
    expect(await take(b, "two", 6_000, 0)).toBeNull();
    expect(await take(b, "two", 4_999, 5_999)).toEqual({ cursor: "7" });
    expect(await take(a, "one", 5_998)).toBeNull();
    expect(await take(a, "one", 5_999)).toEqual({ cursor: "7" });
  }),

  toCase("follower: a released lease is free at once", async ([a, b]) => {
    await take(a, "one", 5_000);
    await advance(a, "one", "7");
    await b.followers.release({ name, holder: "two" });
    expect(await take(b, "two", 5_001)).toBeNull();
    await b.followers.release({ name, holder: "one" });
    expect(await advance(a, "one", "8")).toBe(false);
    expect(await take(b, "two", 5_001)).toEqual({ cursor: "7" });
  }),

  toCase("follower: a removed follower begins again", async ([a, b]) => {
    await take(a, "one", 5_000);
    await advance(a, "one", "7");
    await b.followers.remove(name);
    await b.followers.remove("unknown");
    expect(await advance(a, "one", "8")).toBe(false);
    await a.followers.release({ name, holder: "one" });
    expect(await take(b, "two", 5_001)).toEqual({ cursor: "" });
  }),

  toRace("follower: exactly one of many racers gets the lease", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const at = 5_000 + round * 1_000;
      const outcomes = await race(handles, 16, (store, racer) => take(store, `${racer}`, at));
      expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
    }
  }),
];
