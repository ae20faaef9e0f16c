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

/** The scenario of the short form. The long form adds five. */
const short: readonly Scenario[] = [
  { ...common, ways, checkEveryMs: 24 * hourMs, what: "5 % fail, asking daily" },
];
const long: readonly Scenario[] = [
  ...short,
  { ...common, ways, checkEveryMs: 6 * hourMs, what: "5 % fail, asking every 6 h" },
  {
    ...common,
    ways: ["falls silent"],
    checkEveryMs: 24 * hourMs,
    what: "5 % bricked, asking daily",
  },
  { ...common, ways, failureShare: 1, checkEveryMs: 24 * hourMs, what: "all fail, asking daily" },
  { ...common, ways, checkEveryMs: hourMs, wholeFleet: true, what: "5 % fail, asking hourly" },
  {
    ...{ ...common, ways, failureShare: 0.01, halts: false, wholeFleet: true },
    checkEveryMs: 6 * hourMs,
    what: "1 % fails, asking every 6 h",
  },
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

const describe = ({ touched, broken, asked, haltedAt, finishedAtHalt }: FleetTally): string => {
  const fleet = `${touched.toLocaleString("en")} touched, ${broken} broken, ${asked.toLocaleString("en")} asked`;
  return haltedAt === null
    ? `completed: ${fleet}`
    : `halted at ${finishedAtHalt} finished: ${fleet}`;
};

/** Rolls out a failing release to 10,000 devices. The rollout must halt itself and reach no more devices. */
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
