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
const nothing: UpdateFacts = {
  release,
  update: null,
  standing: newStanding,
  tally: newTally,
  benchMode: false,
};

interface SentReport {
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
}: SentReport) =>
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

/** Returns what is stored after a step. */
const after = (facts: UpdateFacts, step: UpdateStep): UpdateFacts => ({
  release:
    step.halt === null ? facts.release : { ...release, status: "paused", haltedAt: step.halt.at },
  update: step.update ?? facts.update,
  standing: step.standing ?? facts.standing,
  tally: step.tally ?? facts.tally,
  benchMode: facts.benchMode,
});

/** Applies reports to a device. Returns the final state, and the reports that were recorded in the history. */
function run(reports: readonly SentReport[], from: UpdateFacts = nothing) {
  let facts = from;
  const recorded: OtaState[] = [];
  for (const sent of reports) {
    const step = advanceUpdate(facts, toReport(sent), sampleUpdateRules);
    if (step.recorded !== null) recorded.push(sent.state);
    facts = after(facts, step);
  }
  return { facts, recorded, state: facts.update?.state ?? null };
}

const offered: SentReport = { state: "offered", source: "server" };
const served = (at = start): SentReport => ({
  state: "downloading",
  source: "server",
  servesImage: true,
  at,
});

test("§6 a successful update is recorded step by step, each step once", () => {
  const way: SentReport[] = [
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
  const { state, recorded, facts } = run(way);
  expect(state).toBe("succeeded");
  // A device's own report is recorded too, even if the server saw the step before.
  expect(recorded).toEqual(["offered", "downloading", "downloading", ...updatePhases.slice(2)]);
  expect(facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
});

test("§6 reports about a release that the device was never offered are recorded and move nothing", () => {
  for (const facts of [nothing, { ...nothing, release: null }]) {
    const { state, recorded } = run([{ state: "downloading" }, { state: "failed" }], facts);
    expect([state, recorded]).toEqual([null, ["downloading", "failed"]]);
  }
});

test("§6 a release that was paused a moment ago is not offered", () => {
  const paused = { ...nothing, release: { ...release, status: "paused" as const } };
  expect(run([offered, served()], paused).state).toBeNull();
});

test("§6 three failures block the release on the device for a day, after which it may try again", () => {
  const attempt = (at: number): SentReport[] => [
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

test("§6 one failure that is reported in two ways counts once", () => {
  const { facts } = run([
    offered,
    served(),
    { state: "failed" },
    { state: "failed", at: start + 9 },
  ]);
  expect(facts.update?.failures).toBe(1);
});

test("§6 five attempts within 180 s block the release, but four or slower ones do not", () => {
  const attempts = (times: number, gap: number) =>
    run([offered, ...Array.from({ length: times }, (_, n) => served(start + n * gap))]).facts;
  expect(attempts(5, 40_000).standing.blocks).toHaveLength(1);
  expect(attempts(4, 40_000).standing.blocks).toHaveLength(0);
  expect(attempts(9, 60_000).standing.blocks).toHaveLength(0);
});

test("§6 a device that downloads a complete image again has failed without a report", () => {
  const loop = [served(), { state: "downloaded", source: "server" } as const];
  const { facts } = run([offered, ...loop, ...loop, ...loop, served()]);
  expect(facts.standing.blocks).toHaveLength(1);
  expect(facts.tally.failed).toBe(1);
});

test("§6 a download that resumes is not a new attempt", () => {
  const resumed: SentReport = { state: "downloading", source: "server" };
  const { facts } = run([offered, { state: "downloading" }, served(), resumed, resumed, resumed]);
  expect(facts.update?.attempts).toHaveLength(1);
});

test("§6 without reports, an update that began times out, and one that did not begin does not", () => {
  const late = (at: number): SentReport => ({ state: "timed_out", source: "server", at });
  const day = start + 86_400_000;
  expect(run([offered, late(day)]).state).toBe("offered");
  expect(run([offered, served(), late(day - 1)]).state).toBe("downloading");
  const cut = run([offered, served(), late(day)]);
  expect([cut.state, cut.facts.tally.failed], "the connection's fault").toEqual(["timed_out", 0]);
  const installing: readonly SentReport[] = [offered, served(), { state: "installing" }];
  const hour = start + 3_600_000;
  expect(run([...installing, late(hour - 1)]).state).toBe("installing");
  const silent = run([...installing, late(hour)]);
  expect([silent.state, silent.facts.tally.failed]).toEqual(["timed_out", 1]);
  const patient = { ...sampleUpdateRules, silenceMs: 3 * 86_400_000 };
  const step = advanceUpdate(run(installing).facts, toReport(late(day)), patient);
  expect(step.update?.state, "the silence limit is never longer than the time-out").toBe(
    "timed_out",
  );
  const back = run([{ state: "succeeded", source: "server", at: day + 9 }], silent.facts);
  expect(back.facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
});

test("§6 a device that rolls back after its success has failed", () => {
  const { state, facts } = run([
    offered,
    served(),
    { state: "succeeded", source: "server" },
    { state: "rolled_back", source: "server" },
  ]);
  expect([state, facts.tally]).toEqual(["rolled_back", { round: 1, succeeded: 0, failed: 1 }]);
});

test("§6 failures of a bench device neither block the release nor count against it", () => {
  const failures = Array.from({ length: 9 }, () => [
    { state: "offered", source: "server" } as const,
    { state: "failed" } as const,
  ]).flat();
  const { facts } = run(failures, { ...nothing, benchMode: true });
  expect([facts.standing.blocks, facts.tally, facts.release?.status]).toEqual([
    [],
    newTally,
    "active",
  ]);
});

test("§6 a failed check is recorded, and fails no update that never began", () => {
  const checkFailed: SentReport = {
    state: "failed",
    source: "telemetry",
    lastCheckSucceeded: false,
  };
  const { facts, recorded, state } = run([offered, checkFailed, checkFailed]);
  expect([state, recorded]).toEqual(["offered", ["offered", "failed", "failed"]]);
  expect([facts.update?.failures, facts.tally]).toEqual([0, newTally]);
  expect(facts).toEqual(run([offered]).facts);

  const failing: readonly (readonly SentReport[])[] = [
    [served(), checkFailed],
    [{ ...checkFailed, lastCheckSucceeded: true }],
    [{ state: "failed", source: "telemetry" }],
    [{ ...checkFailed, source: "device" }],
    [{ ...checkFailed, state: "rejected" }],
    [{ ...checkFailed, state: "rolled_back" }],
  ];
  for (const sent of failing) {
    const { tally, update } = run([offered, ...sent]).facts;
    expect([sent, tally.failed, update?.failures]).toEqual([sent, 1, 1]);
  }
});

test("§6 the failure that exceeds the tolerance halts the release, and the next round starts from zero", () => {
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
  expect(next.state, "running updates still move").toBe("succeeded");
  expect(next.facts.tally, "and are not counted").toEqual({ round: 2, succeeded: 0, failed: 0 });
});

/** The states that may follow each state, whatever the source: the graph of decision 13. */
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

test("§6 whatever is reported, an update moves only along its graph, and its counts stay correct", () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 40 }), (reports) => {
      let facts = run([offered]).facts;
      let at = start;
      for (const { gap, ...sent } of reports) {
        at += gap;
        const before = facts.update?.state as OtaState;
        const report = toReport({ ...sent, at });
        const step = advanceUpdate(facts, report, sampleUpdateRules);
        facts = after(facts, step);
        const { update, standing, tally } = facts;
        expect(graph[before]).toContain(update?.state);
        if (update === null) throw new Error("The update was lost.");
        expect(standing.current).toEqual({
          releaseId: 1,
          version: release.version,
          state: update.state,
        });
        expect(update.failures).toBeLessThan(sampleUpdateRules.maxFailures);
        expect(update.attempts.length).toBeLessThan(sampleUpdateRules.maxAttempts);
        expect(standing.blocks.length).toBeLessThanOrEqual(1);
        // A device counts once, on one side.
        const counted = {
          succeeded: 0,
          failed: 0,
          ...(update.outcome && { [update.outcome.kind]: 1 }),
        };
        expect(tally).toEqual({ round: 1, ...counted });
        if (update.state === "succeeded") expect(counted.succeeded).toBe(1);
        // Repeating a report moves nothing, except for a download that starts again.
        const again = advanceUpdate(facts, report, sampleUpdateRules);
        if (!sent.servesImage) expect(again.update?.state ?? update.state).toBe(update.state);
      }
    }),
    { numRuns: 300 },
  );
});
