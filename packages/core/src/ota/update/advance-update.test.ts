import { sampleRelease, sampleUpdateRules } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { OtaState } from "../../contract/index.js";
import { blockedUntil, newStanding } from "../offer/device-ota.js";
import { newTally } from "../release/judge-rollout.js";
import { advanceUpdate, type UpdateFacts, type UpdateStep } from "./advance-update.js";
import { updatePhases } from "./device-update.js";
import type { UpdateReport } from "./move-update.js";
import type { OtaSource } from "./ota-event.js";

const start = Date.UTC(2025, 5, 2);
const release = {
  ...sampleRelease({ status: "active", hasImage: true, activatedAt: start }),
  id: 1,
  revision: 1,
};
const nothing: UpdateFacts = { release, update: null, standing: newStanding, tally: newTally };

interface Said {
  readonly state: OtaState;
  readonly source?: OtaSource;
  readonly at?: number;
  readonly servesImage?: boolean;
  readonly lastCheckSucceeded?: boolean;
}

const toReport = ({
  state,
  source = "device",
  at = start,
  servesImage = false,
  lastCheckSucceeded,
}: Said) =>
  ({
    event: {
      createdAt: at,
      deviceId: "gw-1",
      source,
      state,
      offeredVersion: release.version,
      fromVersion: "1.0.0",
      lastResult: state,
      lastCheckSucceeded: lastCheckSucceeded ?? null,
      updateAvailable: null,
      updateApplied: null,
      progress: null,
      message: null,
    },
    releaseId: null,
    servesImage,
    fingerprint: source === "device" ? `${state} ${at}` : null,
  }) satisfies UpdateReport;

/** What is stored after a step. */
const after = (facts: UpdateFacts, step: UpdateStep): UpdateFacts => ({
  release:
    step.halt === null ? facts.release : { ...release, status: "paused", haltedAt: step.halt.at },
  update: step.update ?? facts.update,
  standing: step.standing ?? facts.standing,
  tally: step.tally ?? facts.tally,
});

/** Where a device gets by reports, and which of them were told in its history. */
function run(reports: readonly Said[], from: UpdateFacts = nothing) {
  let facts = from;
  const told: OtaState[] = [];
  for (const said of reports) {
    const step = advanceUpdate(facts, toReport(said), sampleUpdateRules);
    if (step.recorded) told.push(said.state);
    facts = after(facts, step);
  }
  return { facts, told, state: facts.update?.state ?? null };
}

const offered: Said = { state: "offered", source: "server" };
const served = (at = start): Said => ({
  state: "downloading",
  source: "server",
  servesImage: true,
  at,
});

test("§6 an update that goes well is told step by step, each once", () => {
  const way: Said[] = [
    offered,
    offered,
    served(),
    { state: "downloading" },
    { state: "downloaded", source: "server" },
    { state: "verified" },
    { state: "installing" },
    { state: "rebooting" },
    { state: "succeeded", source: "server" },
    { state: "succeeded", source: "server" },
  ];
  const { state, told, facts } = run(way);
  expect(state).toBe("succeeded");
  // What the device says itself is told too, where the server saw it before.
  expect(told).toEqual(["offered", "downloading", "downloading", ...updatePhases.slice(2)]);
  expect(facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
});

test("§6 reports of what the device was never offered are told, and move nothing", () => {
  for (const facts of [nothing, { ...nothing, release: null }]) {
    const { state, told } = run([{ state: "downloading" }, { state: "failed" }], facts);
    expect([state, told]).toEqual([null, ["downloading", "failed"]]);
  }
});

test("§6 nobody is offered a release that was paused a moment ago", () => {
  const paused = { ...nothing, release: { ...release, status: "paused" as const } };
  expect(run([offered, served()], paused).state).toBeNull();
});

test("§6 three failures block the release on the device for a day, and a day later it may try again", () => {
  const attempt = (at: number): Said[] => [
    { ...offered, at },
    served(at),
    { state: "failed", at: at + 1 },
  ];
  const hours = [0, 1, 2].map((hour) => start + hour * 3_600_000);
  const { facts } = run(hours.flatMap(attempt));
  const last = (hours[2] as number) + 1;
  expect(blockedUntil(facts.standing, 1, last)).toBe(last + 86_400_000);
  expect(blockedUntil(facts.standing, 1, last + 86_400_000)).toBeNull();
  expect(facts.tally, "one device, however often").toEqual({ round: 1, succeeded: 0, failed: 1 });
  const again = run(attempt(last + 86_400_001), facts).facts;
  expect(again.update?.failures).toBe(1);
});

test("§6 one failure that is told in two ways is one", () => {
  const { facts } = run([
    offered,
    served(),
    { state: "failed" },
    { state: "failed", at: start + 9 },
  ]);
  expect(facts.update?.failures).toBe(1);
});

test("§6 five attempts within 180 s block the release, four or slower ones don't", () => {
  const attempts = (times: number, gap: number) =>
    run([offered, ...Array.from({ length: times }, (_, n) => served(start + n * gap))]).facts;
  expect(attempts(5, 40_000).standing.blocks).toHaveLength(1);
  expect(attempts(4, 40_000).standing.blocks).toHaveLength(0);
  expect(attempts(9, 60_000).standing.blocks).toHaveLength(0);
});

test("§6 who fetches an image again that they had whole has failed, unsaid", () => {
  const loop = [served(), { state: "downloaded", source: "server" } as const];
  const { facts } = run([offered, ...loop, ...loop, ...loop, served()]);
  expect(facts.standing.blocks).toHaveLength(1);
  expect(facts.tally.failed).toBe(1);
});

test("§6 a download that goes on after a cut is no further attempt", () => {
  const resumed: Said = { state: "downloading", source: "server" };
  const { facts } = run([offered, { state: "downloading" }, served(), resumed, resumed, resumed]);
  expect(facts.update?.attempts).toHaveLength(1);
});

test("§6 without news an update that began has failed in the end, not one that did not", () => {
  const late = (at: number): Said => ({ state: "timed_out", source: "server", at });
  const day = start + 86_400_000;
  expect(run([offered, late(day)]).state).toBe("offered");
  expect(run([offered, served(), late(day - 1)]).state).toBe("downloading");
  const cut = run([offered, served(), late(day)]);
  expect([cut.state, cut.facts.tally.failed], "the connection's fault").toEqual(["timed_out", 0]);
  const installing: readonly Said[] = [offered, served(), { state: "installing" }];
  const hour = start + 3_600_000;
  expect(run([...installing, late(hour - 1)]).state).toBe("installing");
  const silent = run([...installing, late(hour)]);
  expect([silent.state, silent.facts.tally.failed]).toEqual(["timed_out", 1]);
  const patient = { ...sampleUpdateRules, silenceMs: 3 * 86_400_000 };
  const step = advanceUpdate(run(installing).facts, toReport(late(day)), patient);
  expect(step.update?.state, "silence takes no longer than news").toBe("timed_out");
  const back = run([{ state: "succeeded", source: "server", at: day + 9 }], silent.facts);
  expect(back.facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
});

test("§6 a device that goes back after its success has failed", () => {
  const { state, facts } = run([
    offered,
    served(),
    { state: "succeeded", source: "server" },
    { state: "rolled_back", source: "server" },
  ]);
  expect([state, facts.tally]).toEqual(["rolled_back", { round: 1, succeeded: 0, failed: 1 }]);
});

test("§6 a check that fails is told, and fails no update that never began", () => {
  const checkFailed: Said = { state: "failed", source: "telemetry", lastCheckSucceeded: false };
  const { facts, told, state } = run([offered, checkFailed, checkFailed]);
  expect([state, told]).toEqual(["offered", ["offered", "failed", "failed"]]);
  expect([facts.update?.failures, facts.tally]).toEqual([0, newTally]);
  expect(facts).toEqual(run([offered]).facts);

  const failing: readonly (readonly Said[])[] = [
    [served(), checkFailed],
    [{ ...checkFailed, lastCheckSucceeded: true }],
    [{ state: "failed", source: "telemetry" }],
    [{ ...checkFailed, source: "device" }],
    [{ ...checkFailed, state: "rejected" }],
    [{ ...checkFailed, state: "rolled_back" }],
  ];
  for (const said of failing) {
    const { tally, update } = run([offered, ...said]).facts;
    expect([said, tally.failed, update?.failures]).toEqual([said, 1, 1]);
  }
});

test("§6 the report that is one too many halts the release, and the next round begins at nothing", () => {
  const tally = { round: 1, succeeded: 0, failed: 4 };
  const { facts } = run([offered, served()], { ...nothing, tally });
  const step = advanceUpdate(facts, toReport({ state: "failed" }), sampleUpdateRules);
  expect(step.halt).toMatchObject({
    kind: "release.halted",
    details: { version: release.version, succeeded: 0, failed: 5 },
  });
  expect(step.tally).toEqual({ round: 2, succeeded: 0, failed: 0 });
  const halted = after(facts, step);
  const next = run([offered, { state: "succeeded", source: "server" }], halted);
  expect(next.state, "what goes on is seen").toBe("succeeded");
  expect(next.facts.tally, "and not counted").toEqual({ round: 2, succeeded: 0, failed: 0 });
});

/** Which state may follow which, whoever says so: the graph of decision 13. */
const began: readonly OtaState[] = [
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
];
const ended: readonly OtaState[] = [
  "succeeded",
  "failed",
  "rejected",
  "rolled_back",
  "cancelled",
  "timed_out",
];
const onwards = (state: OtaState) => began.slice(began.indexOf(state));
const graph: Readonly<Record<OtaState, readonly OtaState[]>> = {
  offered: ["offered", ...began, ...ended],
  downloading: [...began, ...ended],
  downloaded: ["downloading", ...onwards("downloaded"), ...ended],
  verified: ["downloading", ...onwards("verified"), ...ended],
  installing: ["downloading", ...onwards("installing"), ...ended],
  rebooting: ["downloading", "rebooting", ...ended],
  succeeded: ["succeeded", "rolled_back"],
  failed: ["failed", "offered", ...began, "succeeded"],
  rejected: ["rejected", "offered", ...began, "succeeded"],
  rolled_back: ["rolled_back", "offered", ...began, "succeeded"],
  cancelled: ["cancelled", "offered", ...began, "succeeded"],
  timed_out: ["timed_out", "offered", ...began, "succeeded"],
};

const anyReport = fc.record({
  state: fc.constantFrom(...(Object.keys(graph) as OtaState[])),
  source: fc.constantFrom<OtaSource>("server", "device", "telemetry"),
  gap: fc.constantFrom(0, 1_000, 200_000, 90_000_000),
  servesImage: fc.boolean(),
});

test("§6 whatever is reported, an update never leaves its graph, and its counts stay true", () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 40 }), (reports) => {
      let facts = run([offered]).facts;
      let at = start;
      for (const { gap, ...said } of reports) {
        at += gap;
        const before = facts.update?.state as OtaState;
        const report = toReport({ ...said, at });
        const step = advanceUpdate(facts, report, sampleUpdateRules);
        facts = after(facts, step);
        const { update, standing, tally } = facts;
        expect(graph[before]).toContain(update?.state);
        if (update === null) throw new Error("An update is never forgotten");
        expect(standing.current).toEqual({
          releaseId: 1,
          version: release.version,
          state: update.state,
        });
        expect(update.failures).toBeLessThan(sampleUpdateRules.maxFailures);
        expect(update.attempts.length).toBeLessThan(sampleUpdateRules.maxAttempts);
        expect(standing.blocks.length).toBeLessThanOrEqual(1);
        // A single device counts as one, on one side.
        const counted = {
          succeeded: 0,
          failed: 0,
          ...(update.outcome && { [update.outcome.kind]: 1 }),
        };
        expect(tally).toEqual({ round: 1, ...counted });
        if (update.state === "succeeded") expect(counted.succeeded).toBe(1);
        // The same report again moves nothing, but for a download that begins anew.
        const again = advanceUpdate(facts, report, sampleUpdateRules);
        if (!said.servesImage) expect(again.update?.state ?? update.state).toBe(update.state);
      }
    }),
    { numRuns: 300 },
  );
});
