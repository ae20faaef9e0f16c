import { sampleUpdateRules } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { blockedUntil } from "../offer/device-ota.js";
import { newTally } from "../release/judge-rollout.js";
import { advanceUpdate } from "./advance-update.js";
import { updatePhases } from "./device-update.js";
import {
  afterStep,
  applyReports,
  nothing,
  offered,
  release,
  type SentReport,
  served,
  start,
  toReport,
} from "./testing/apply-reports.js";

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
  const { state, recorded, facts } = applyReports(way);
  expect(state).toBe("succeeded");
  // A device's own report is recorded too, even if the server saw the step before.
  expect(recorded).toEqual(["offered", "downloading", "downloading", ...updatePhases.slice(2)]);
  expect(facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
});

test("§6 reports about a release that the device was never offered are recorded and move nothing", () => {
  for (const facts of [nothing, { ...nothing, release: null }]) {
    const { state, recorded } = applyReports(
      [{ state: "downloading" }, { state: "failed" }],
      facts,
    );
    expect([state, recorded]).toEqual([null, ["downloading", "failed"]]);
  }
});

test("§6 a release that was paused a moment ago is not offered", () => {
  const paused = { ...nothing, release: { ...release, status: "paused" as const } };
  expect(applyReports([offered, served()], paused).state).toBeNull();
});

test("§6 three failures block the release on the device for a day, after which it may try again", () => {
  const attempt = (at: number): SentReport[] => [
    { ...offered, at },
    served(at),
    { state: "failed", at: at + 1 },
  ];
  const hours = [0, 1, 2].map((hour) => start + hour * 3_600_000);
  const { facts } = applyReports(hours.flatMap(attempt));
  const last = (hours[2] as number) + 1;
  expect(blockedUntil(facts.standing, 1, last)).toBe(last + 86_400_000);
  expect(blockedUntil(facts.standing, 1, last + 86_400_000)).toBeNull();
  expect(facts.tally, "one device, however often").toEqual({ round: 1, succeeded: 0, failed: 1 });
  const again = applyReports(attempt(last + 86_400_001), facts).facts;
  expect(again.update?.failures).toBe(1);
});

test("§6 one failure that is reported in two ways counts once", () => {
  const { facts } = applyReports([
    offered,
    served(),
    { state: "failed" },
    { state: "failed", at: start + 9 },
  ]);
  expect(facts.update?.failures).toBe(1);
});

test("§6 five attempts within 180 s block the release, but four or slower ones do not", () => {
  const attempts = (times: number, gap: number) =>
    applyReports([offered, ...Array.from({ length: times }, (_, n) => served(start + n * gap))])
      .facts;
  expect(attempts(5, 40_000).standing.blocks).toHaveLength(1);
  expect(attempts(4, 40_000).standing.blocks).toHaveLength(0);
  expect(attempts(9, 60_000).standing.blocks).toHaveLength(0);
});

test("§6 a device that downloads a complete image again has failed without a report", () => {
  const loop = [served(), { state: "downloaded", source: "server" } as const];
  const { facts } = applyReports([offered, ...loop, ...loop, ...loop, served()]);
  expect(facts.standing.blocks).toHaveLength(1);
  expect(facts.tally.failed).toBe(1);
});

test("§6 a download that resumes is not a new attempt", () => {
  const resumed: SentReport = { state: "downloading", source: "server" };
  const { facts } = applyReports([
    offered,
    { state: "downloading" },
    served(),
    resumed,
    resumed,
    resumed,
  ]);
  expect(facts.update?.attempts).toHaveLength(1);
});

test("§6 without reports, an update that began times out, and one that did not begin does not", () => {
  const late = (at: number): SentReport => ({ state: "timed_out", source: "server", at });
  const day = start + 86_400_000;
  expect(applyReports([offered, late(day)]).state).toBe("offered");
  expect(applyReports([offered, served(), late(day - 1)]).state).toBe("downloading");
  const cut = applyReports([offered, served(), late(day)]);
  expect([cut.state, cut.facts.tally.failed], "the connection's fault").toEqual(["timed_out", 0]);
  const installing: readonly SentReport[] = [offered, served(), { state: "installing" }];
  const hour = start + 3_600_000;
  expect(applyReports([...installing, late(hour - 1)]).state).toBe("installing");
  const silent = applyReports([...installing, late(hour)]);
  expect([silent.state, silent.facts.tally.failed]).toEqual(["timed_out", 1]);
  const patient = { ...sampleUpdateRules, silenceMs: 3 * 86_400_000 };
  const step = advanceUpdate(applyReports(installing).facts, toReport(late(day)), patient);
  expect(step.update?.state, "the silence limit is never longer than the time-out").toBe(
    "timed_out",
  );
  const back = applyReports([{ state: "succeeded", source: "server", at: day + 9 }], silent.facts);
  expect(back.facts.tally).toEqual({ round: 1, succeeded: 1, failed: 0 });
  expect([silent.facts.update?.failures, back.facts.update?.failures]).toEqual([1, 0]);
});

test("§6 a device that rolls back after its success has failed", () => {
  const { state, facts } = applyReports([
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
  const { facts } = applyReports(failures, { ...nothing, benchMode: true });
  expect([facts.standing.blocks, facts.tally, facts.release?.status]).toEqual([
    [],
    newTally,
    "active",
  ]);
});

test("§6 a failed check is recorded, and does not fail an update that never began", () => {
  const checkFailed: SentReport = {
    state: "failed",
    source: "telemetry",
    lastCheckSucceeded: false,
  };
  const { facts, recorded, state } = applyReports([offered, checkFailed, checkFailed]);
  expect([state, recorded]).toEqual(["offered", ["offered", "failed", "failed"]]);
  expect([facts.update?.failures, facts.tally]).toEqual([0, newTally]);
  expect(facts).toEqual(applyReports([offered]).facts);

  const failing: readonly (readonly SentReport[])[] = [
    [served(), checkFailed],
    [{ ...checkFailed, lastCheckSucceeded: true }],
    [{ state: "failed", source: "telemetry" }],
    [{ ...checkFailed, source: "device" }],
    [{ ...checkFailed, state: "rejected" }],
    [{ ...checkFailed, state: "rolled_back" }],
  ];
  for (const sent of failing) {
    const { tally, update } = applyReports([offered, ...sent]).facts;
    expect([sent, tally.failed, update?.failures]).toEqual([sent, 1, 1]);
  }
});

test("§6 the failure that exceeds the tolerance halts the release, and the next round starts from zero", () => {
  const tally = { round: 1, succeeded: 0, failed: 4 };
  const { facts } = applyReports([offered, served()], { ...nothing, tally });
  const step = advanceUpdate(facts, toReport({ state: "failed" }), sampleUpdateRules);
  expect(step.halt).toMatchObject({
    kind: "release.halted",
    details: { version: release.version, succeeded: 0, failed: 5 },
  });
  expect(step.tally).toEqual({ round: 2, succeeded: 0, failed: 0 });
  const halted = afterStep(facts, step);
  const next = applyReports([offered, { state: "succeeded", source: "server" }], halted);
  expect(next.state, "running updates still move").toBe("succeeded");
  expect(next.facts.tally, "and are not counted").toEqual({ round: 2, succeeded: 0, failed: 0 });
});
