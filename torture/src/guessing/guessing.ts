import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import { createDice } from "../dice.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { openWorld } from "../world.js";
import { type Front, openFront, openProcessFront } from "./front.js";
import { holdUp } from "./hold-up.js";
import { jams } from "./jam.js";
import type { Ledger } from "./moves.js";
import { besiege } from "./siege.js";
import { timeClaims } from "./stopwatch.js";
import { buildTown } from "./town.js";
import { claimAllowance, excesses, reachOf, registerAllowance } from "./try-log.js";

const sizes = {
  short: { accounts: 40, addresses: 80, houses: 6, bursts: 120, burstSize: 24 },
  long: { accounts: 1_000, addresses: 10_000, houses: 60, bursts: 2_000, burstSize: 60 },
};
const startAt = Date.UTC(2025, 0, 2);

const describe = ({ pair, alone, device }: Record<"pair" | "alone" | "device", number>) =>
  `${pair} / ${alone} / ${device}`;

async function attack(
  options: AttackOptions,
  findings: Findings,
  where: string,
  open: (storage: Awaited<ReturnType<typeof createStorage>>) => Promise<Front>,
): Promise<ReportLine[]> {
  const size = sizes[options.long ? "long" : "short"];
  const dice = createDice(options.seed);
  const storage = await createStorage(options.store);
  const world = await openWorld({ storage, seed: options.seed });
  const town = await buildTown(size, dice, world.send);
  await world.close();
  const front = await open(storage);
  const ledger: Ledger = {
    claims: [],
    registrations: [],
    hashes: 0,
    refused: 0,
    letIn: 0,
    found: (what) => findings.add(what),
  };
  const { bursts, burstSize } = { ...size, ...(options.rounds && { bursts: options.rounds }) };
  const siege = { bursts, burstSize, startAt, progress: options.progress };
  const sent = await besiege(front, town, ledger, dice, siege);
  await front.close();
  await storage.remove();

  const claims = reachOf(ledger.claims, claimAllowance);
  const registrations = reachOf(ledger.registrations, registerAllowance);
  for (const what of excesses("claim", claims, claimAllowance)) findings.add(what);
  for (const what of excesses("register", registrations, registerAllowance)) findings.add(what);
  const { refused, letIn } = ledger;
  return [
    {
      what: `wrong codes at claim, ${where}`,
      rounds: ledger.claims.length,
      result: `most: ${describe(claims)}`,
      bar: "at most 5 / 30 / 50",
    },
    {
      what: `wrong codes at register, ${where}`,
      rounds: ledger.registrations.length,
      result: `most: ${describe(registrations)}`,
      bar: "at most 5 / any / 50",
    },
    {
      what: `${size.addresses} addresses × ${size.accounts} accounts, ${where}`,
      rounds: sent,
      result: `${refused} turned away, ${letIn} let in by right`,
      bar: "nobody with a right turned away",
    },
  ];
}

/** The queue of slow hashes, kept full by strangers; long also in real time. */
async function jamQueue(options: AttackOptions, findings: Findings): Promise<ReportLine[]> {
  const dice = createDice(options.seed);
  const lines: ReportLine[] = [];
  for (const jam of jams[options.long ? "long" : "short"]) {
    lines.push(await holdUp(options, findings, jam, options.long ? 50 : 5, dice));
  }
  if (!options.long || options.store !== "memory") return lines;
  for (const jam of jams.timed) lines.push(await timeClaims(options, jam, 10));
  return lines;
}

/**
 * S3: guesses at codes and secrets from many addresses and accounts at several gateways at once. The
 * log of answers must never hold more checked guesses than contract §9 allows, in any window, and
 * whoever has the right code or secret gets in at any moment.
 */
export const guessing: Attack = async (options) => {
  const findings = createFindings("guessing", options);
  const lines = await attack(options, findings, "two gateways", (storage) =>
    openFront(storage, options, 2),
  );
  if (options.long && options.store !== "memory") {
    const open = (storage: Awaited<ReturnType<typeof createStorage>>) =>
      openProcessFront(storage.place ?? "", options, 4);
    lines.push(...(await attack(options, findings, "four processes", open)));
  }
  // The queue of slow hashes stands above the store: in the short form, one kind is enough.
  if (options.long || options.store === "memory")
    lines.push(...(await jamQueue(options, findings)));
  return { name: `S3 ${options.store}`, lines, violations: findings.violations };
};
