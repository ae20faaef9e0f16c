import { createFakeClock } from "@device-gateway/testing";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { customer } from "../issuer.js";
import { firmware } from "../releases.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { openWorld } from "../world.js";
import { type FleetPlan, type FleetTally, publishRelease, sendFleetOut } from "./fleet.js";
import { createTimeline } from "./timeline.js";

const hourMs = 3_600_000;
/** Long enough to see that no device gets the release after the halt. */
const afterHaltMs = 10 * 60_000;
const devices = 10_000;

interface Scenario extends FleetPlan {
  readonly what: string;
  readonly halts: boolean;
  /** Runs until the whole fleet has asked. Otherwise stops ten minutes after the halt. */
  readonly wholeFleet: boolean;
}

const common = { devices, failureShare: 0.05, halts: true, wholeFleet: false } as const;
const ways = ["reports", "rolls back"] as const;
const daily: Scenario = {
  ...common,
  ways,
  checkEveryMs: 24 * hourMs,
  what: "5 % fail, asking daily",
};
const tolerable: Scenario = {
  ...common,
  ways,
  ...{ failureShare: 0.01, halts: false, wholeFleet: true },
  checkEveryMs: 6 * hourMs,
  what: "1 % fails, asking every 6 h",
};

const short: readonly Scenario[] = [
  daily,
  { ...tolerable, devices: 600, what: "1 % of 600 devices fails, asking every 6 h" },
];
const long: readonly Scenario[] = [
  daily,
  { ...common, ways, checkEveryMs: 6 * hourMs, what: "5 % fail, asking every 6 h" },
  {
    ...common,
    ways: ["falls silent"],
    checkEveryMs: 24 * hourMs,
    what: "5 % bricked, asking daily",
  },
  { ...common, ways, failureShare: 1, checkEveryMs: 24 * hourMs, what: "all fail, asking daily" },
  { ...common, ways, checkEveryMs: hourMs, wholeFleet: true, what: "5 % fail, asking hourly" },
  tolerable,
];

async function rollOut(
  { store, seed, plants }: AttackOptions,
  round: number,
  plan: Scenario,
): Promise<FleetTally> {
  const storage = await createStorage(store);
  const clock = createFakeClock();
  const options = { publicUrl: "https://gw.test", firmware };
  const world = await openWorld({ storage, seed, clock, plants, options });
  const operator = await world.issuer.tokenOf(customer("operator-1", { roles: ["operator"] }));
  await publishRelease(world, operator);
  const timeline = createTimeline(clock);
  const tally = sendFleetOut(world, timeline, createDice(seedOfRound(seed, round)), plan);
  const startedAt = clock.now();
  await timeline.run(() => {
    const wholeFleet = startedAt + plan.checkEveryMs;
    const endsAt = plan.wholeFleet ? wholeFleet : (tally.haltedAt ?? wholeFleet);
    return clock.now() > endsAt + afterHaltMs;
  });
  await world.close();
  await storage.remove();
  return tally;
}

/**
 * Returns what is wrong with a halt, or undefined. A rollout halts at the failure that makes three times the tolerated
 * odds of 2 % a hundred times as likely (decision 13), such as the 12th failure of 200 devices: not earlier, and not
 * later.
 */
function judgeHalt({ countedAtHalt, endedAtHalt }: FleetTally): string | undefined {
  if (countedAtHalt === null || endedAtHalt === null) return "the halt is not in the audit trail";
  const { failed, succeeded } = countedAtHalt;
  const evidenceOf = (failures: number) =>
    failures * Math.log(3) - (failures + succeeded) * Math.log(1.04);
  if (evidenceOf(failed) < Math.log(100)) return "it halted too early";
  if (evidenceOf(failed - 1) >= Math.log(100)) return "it halted too late";
  return failed > endedAtHalt.failed || succeeded > endedAtHalt.succeeded
    ? "it counted updates that had not ended"
    : undefined;
}

const describe = ({ touched, broken, asked, haltedAt, countedAtHalt }: FleetTally): string => {
  const fleet = `${touched.toLocaleString("en")} touched, ${broken} broken, ${asked.toLocaleString("en")} asked`;
  if (haltedAt === null) return `completed: ${fleet}`;
  const { failed = 0, succeeded = 0 } = countedAtHalt ?? {};
  return `halted at ${failed + succeeded} finished: ${fleet}`;
};

/**
 * Rolls out a failing release to a fleet. If it fails too often, the rollout must halt itself in time and reach no more
 * devices. Otherwise it must reach all of them.
 */
export const rollout: Attack = async (options) => {
  const findings = createFindings("rollout", options);
  const lines: ReportLine[] = [];
  for (const scenario of options.long ? long : short) {
    const results: string[] = [];
    const rounds = await runRounds(options, { short: 1, long: 1 }, async (round) => {
      const tally = await rollOut(options, round, scenario);
      results.push(describe(tally));
      if (scenario.halts !== (tally.haltedAt !== null)) {
        findings.add(`${scenario.what}: ${describe(tally)}`, round);
      }
      const wrong = tally.haltedAt === null ? undefined : judgeHalt(tally);
      if (wrong !== undefined) {
        findings.add(`${scenario.what}: ${wrong}: ${describe(tally)}`, round);
      }
      if (tally.haltedAt === null && tally.touched < scenario.devices) {
        findings.add(`${scenario.what}: it did not reach all devices: ${describe(tally)}`, round);
      }
      if (tally.late > 0) {
        findings.add(`${scenario.what}: ${tally.late} devices got it after the halt`, round);
      }
    });
    const bar = scenario.halts ? "halts itself" : "completes";
    lines.push({ what: scenario.what, rounds, result: results.join("; "), bar });
  }
  return {
    name: `rollout ${options.store}`,
    lines,
    violations: findings.violations,
  };
};
