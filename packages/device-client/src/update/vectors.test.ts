import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeStep, type Trace, traceStart } from "../testing/vectors/make-trace-vectors.js";
import { transition } from "./machine/transition.js";
import { createAssessment } from "./offer/assess-offer.js";
import type { DeviceFacts } from "./offer/judge-offer.js";
import type { ReleaseOffer } from "./offer/release-offer.js";
import { importTrustedKeys } from "./offer/trusted-keys.js";
import { compareVersions, isVersion } from "./offer/version.js";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));

const offers = read("offers");
const versions = read("versions");
const named = read("traces");
const traces = JSON.parse(JSON.stringify(named.traces), (key, value) =>
  key === "offer" ? named.offers[value] : value,
) as readonly Trace[];

interface OfferVector {
  readonly name: string;
  readonly device?: DeviceFacts;
  readonly offer: ReleaseOffer;
  readonly expected: string;
}

test.each(offers.cases as OfferVector[])("§6 offer: $name", async (vector) => {
  const { offer, expected, device = offers.device } = vector;
  const keys = await importTrustedKeys(offers.keys);
  const assess = createAssessment(device.targetHardware, keys);
  expect((await assess(offer, device)) ?? "taken").toBe(expected);
});

test("§1 versions", () => {
  expect(versions.valid.filter((text: string) => !isVersion(text))).toEqual([]);
  expect(versions.invalid.filter((text: string) => isVersion(text))).toEqual([]);
  for (const { a, b, expected } of versions.comparisons) {
    expect([a, b, compareVersions(a, b)]).toEqual([a, b, expected]);
  }
});

test.each(traces)("§6 trace: $name", ({ steps }) => {
  let machine = traceStart;
  for (const { event, now, after } of steps) {
    const before = machine;
    // The stored state is read back from JSON.
    const stored = event.kind === "booted" ? JSON.parse(JSON.stringify(before)) : before;
    machine = transition(stored, event, now);
    expect(describeStep(before, machine)).toEqual(after);
  }
});
