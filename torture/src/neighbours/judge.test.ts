import { describe, expect, it } from "vitest";
import type { HonestSample } from "./honest-load.js";
import { bounds, type Cost, calmOf, excessesOf, refusalsOf, slowdownOf } from "./judge.js";

const answered = (kind: string, ms: number): HonestSample => ({ kind, ms, status: 200, fault: "" });
const evenly = (kind: string, ms: number) =>
  Array.from({ length: 300 }, (_, n) => answered(kind, ms + n / 1_000));

describe("slowdownOf", () => {
  const quiet = [...evenly("config", 1), ...evenly("claim", 100).slice(0, 20)];

  it("is 1 when nothing changes", () => {
    expect(slowdownOf(quiet, quiet)).toBe(1);
  });

  it("detects that a fast kind of request becomes slow behind a slow one", () => {
    const attacked = [...evenly("config", 10), ...evenly("claim", 100).slice(0, 20)];
    expect(slowdownOf(quiet, attacked)).toBeGreaterThan(5);
  });

  it("does not report a slowdown when more requests are of a kind that is slow by design", () => {
    const attacked = [...evenly("config", 1), ...evenly("claim", 100)];
    expect(slowdownOf(quiet, attacked)).toBeCloseTo(1, 1);
  });
});

describe("calmOf", () => {
  const window = (ms: number) => ({
    samples: [...evenly("config", 1), ...evenly("config", ms).slice(0, 9)],
  });

  it("keeps windows that are alike, and leaves out those that other work slowed down", () => {
    const calm = [1, 1.2, 1.3].map(window);
    expect(calmOf([window(90), ...calm, window(30)])).toEqual(calm);
    expect(calmOf(calm)).toEqual(calm);
  });

  it("keeps the other windows if one is unusually fast", () => {
    const usual = [3, 3.5, 4].map(window);
    expect(calmOf([window(1), ...usual])).toHaveLength(4);
  });
});

it("counts honest requests that were refused or got no answer", () => {
  const refused = { ...answered("login", 1), status: 429, fault: '{"code":"too_many_requests"}' };
  const cut = { ...answered("login", 1), status: null, fault: "ECONNRESET" };
  expect(refusalsOf([answered("login", 1), refused, refused, cut])).toEqual([
    "2 × honest login got 429 too_many_requests",
    "1 × honest login got no answer ECONNRESET",
  ]);
});

describe("excessesOf", () => {
  const use = (bytes: number, rows: number) => ({ bytes, rows: new Map([["devices", rows]]) });
  const fair: Cost = {
    tally: { requests: 1_000, bytes: 1_000_000, statuses: {} },
    connections: 4,
    before: use(0, 0),
    after: use(4_000_000 + 1_024_000 + bounds.diskSlack, bounds.entries),
    honestBytes: 0,
    honestRequests: 0,
    heapGrowthMiB: bounds.heapMiB,
    peakRssMiB: 513,
  };

  it("reports nothing exactly at the bounds", () => {
    expect(excessesOf(fair)).toEqual([]);
  });

  it.each<[string, Partial<Cost>, RegExp]>([
    ["disk", { after: use(fair.after.bytes + 1, 0) }, /bytes on disk/],
    ["rows", { after: use(0, bounds.entries + 1) }, /1,501 rows in devices/],
    ["heap", { heapGrowthMiB: bounds.heapMiB + 1 }, /33 MiB on the heap/],
    ["RSS", { peakRssMiB: 514 }, /RSS to 514 MiB/],
  ])("reports too much %s", (_, change, message) => {
    expect(excessesOf({ ...fair, ...change })).toEqual([expect.stringMatching(message)]);
  });

  it("does not count what honest requests account for", () => {
    const after = use(fair.after.bytes + 5_000, bounds.entries + 10);
    expect(excessesOf({ ...fair, after, honestBytes: 5_000, honestRequests: 10 })).toEqual([]);
  });
});
