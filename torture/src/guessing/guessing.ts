import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import { createDice } from "../dice.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { openWorld } from "../world.js";
import { claimAllowance, describeExcess, reachOf, registerAllowance } from "./attempt-log.js";
import { claimUnderFlood } from "./claim-under-flood.js";
import { floods } from "./flood.js";
import { type GatewayGroup, openGroup, openProcessGroup } from "./gateway-group.js";
import { guessInBursts } from "./guess-in-bursts.js";
import type { GuessLog } from "./requests.js";
import { buildScene } from "./scene.js";
import { timeClaims } from "./time-claims.js";

const sizes = {
  short: { accounts: 40, addresses: 80, targets: 6, bursts: 120, burstSize: 24 },
  long: { accounts: 1_000, addresses: 10_000, targets: 60, bursts: 2_000, burstSize: 60 },
};
const startAt = Date.UTC(2025, 0, 2);

const describe = ({ pair, alone, device }: Record<"pair" | "alone" | "device", number>) =>
  `${pair} / ${alone} / ${device}`;

async function attack(
  options: AttackOptions,
  findings: Findings,
  where: string,
  open: (storage: Awaited<ReturnType<typeof createStorage>>) => Promise<GatewayGroup>,
): Promise<ReportLine[]> {
  const size = sizes[options.long ? "long" : "short"];
  const dice = createDice(options.seed);
  const storage = await createStorage(options.store);
  const world = await openWorld({ storage, seed: options.seed });
  const scene = await buildScene(size, dice, world.send);
  await world.close();
  const group = await open(storage);
  const log: GuessLog = {
    claims: [],
    registrations: [],
    hashes: 0,
    refused: 0,
    letIn: 0,
    found: (what) => findings.add(what),
  };
  const { bursts, burstSize } = { ...size, ...(options.rounds && { bursts: options.rounds }) };
  const plan = { bursts, burstSize, startAt, progress: options.progress };
  const sent = await guessInBursts(group, scene, log, dice, plan);
  await group.close();
  await storage.remove();

  const claims = reachOf(log.claims, claimAllowance);
  const registrations = reachOf(log.registrations, registerAllowance);
  for (const what of describeExcess("claim", claims, claimAllowance)) findings.add(what);
  for (const what of describeExcess("register", registrations, registerAllowance))
    findings.add(what);
  const { refused, letIn } = log;
  return [
    {
      what: `wrong codes at claim, ${where}`,
      rounds: log.claims.length,
      result: `at most ${describe(claims)}`,
      bar: "at most 5 / 30 / 50",
    },
    {
      what: `wrong codes at register, ${where}`,
      rounds: log.registrations.length,
      result: `at most ${describe(registrations)}`,
      bar: "at most 5 / any / 50",
    },
    {
      what: `${size.addresses} addresses × ${size.accounts} accounts, ${where}`,
      rounds: sent,
      result: `${refused} guesses refused, ${letIn} valid requests accepted`,
      bar: "no valid request refused",
    },
  ];
}

/** Runs valid claims while other clients keep the queue of slow hashes full. The long form also runs in real time. */
async function floodQueue(options: AttackOptions, findings: Findings): Promise<ReportLine[]> {
  const dice = createDice(options.seed);
  const lines: ReportLine[] = [];
  for (const flood of floods[options.long ? "long" : "short"]) {
    lines.push(await claimUnderFlood(options, findings, flood, options.long ? 50 : 5, dice));
  }
  if (!options.long || options.store !== "memory") return lines;
  for (const flood of floods.timed) lines.push(await timeClaims(options, flood, 10));
  return lines;
}

/**
 * Guesses codes and secrets from many addresses and accounts at several gateways at once. In no time window
 * may more guesses be checked than §9 allows, and a correct code or secret must be accepted at any moment.
 */
export const guessing: Attack = async (options) => {
  const findings = createFindings("guessing", options);
  const lines = await attack(options, findings, "two gateways", (storage) =>
    openGroup(storage, options, 2),
  );
  if (options.long && options.store !== "memory") {
    const open = (storage: Awaited<ReturnType<typeof createStorage>>) =>
      openProcessGroup(storage.place ?? "", options, 4);
    lines.push(...(await attack(options, findings, "four processes", open)));
  }
  // The queue of slow hashes does not depend on the store, so the short form tests it on memory only.
  if ((options.long || options.store === "memory") && !findings.hasEnough())
    lines.push(...(await floodQueue(options, findings)));
  return { name: `guessing ${options.store}`, lines, violations: findings.violations };
};
