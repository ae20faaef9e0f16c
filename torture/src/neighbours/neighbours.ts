import { setTimeout as wait } from "node:timers/promises";
import type { SourceChange } from "../../../scripts/bundle-programs.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import type { HonestSample } from "./honest-load.js";
import { bounds } from "./judge.js";
import { type Assault, modes, nameOf } from "./requests/assault.js";
import { type Quiet, runAssault, runQuiet } from "./run-assault.js";
import { openTestBed, type TestBed } from "./test-bed.js";
import { createLongTrial, type Tried } from "./try-long.js";

export interface NeighboursOptions extends AttackOptions {
  /** Bugs to plant into the server, to prove that the attack finds them. */
  readonly changes?: readonly SourceChange[];
}

/** Number of attacks in the short form. */
const shortRounds = 4;
/** The short form sends at least this many rounds of honest requests, and goes on until the attacker has sent all. */
const honestRounds = 2;
const betweenRoundsMs = 200;
/** After this many rounds, an attacker that has not sent everything never will. */
const mostHonestRounds = 75;

/** Shuffles the attacks with the modes in turn, so that the first ones are a fair sample. */
function inOrder(assaults: readonly Assault[], seed: number): readonly Assault[] {
  const dice = createDice(seedOfRound(seed, 0));
  const shuffled = assaults
    .map((assault) => ({ assault, at: dice.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ assault }) => assault);
  const turned = modes.map((_, n) => modes[(n + seed) % modes.length]);
  const byMode = turned.map((mode) => shuffled.filter((assault) => assault.mode === mode));
  return shuffled.flatMap((_, n) => byMode.flatMap((ofMode) => ofMode[n] ?? []));
}

/**
 * Sends a fixed number of honest requests beside a fixed number of the attacker's. Time is not judged. So a 503 on
 * Postgres is not judged either: on a busy machine its calls reach their deadlines. SQLite has no other client.
 */
async function tryShort(
  bed: TestBed,
  assault: Assault,
  quiet: Quiet,
  { store }: NeighboursOptions,
): Promise<Tried> {
  const isJudged = ({ status }: HonestSample) => store !== "postgres" || status !== 503;
  const seen = await runAssault(bed, assault, quiet, async (isSpent) => {
    const samples: HonestSample[] = [];
    const runOnce = async () => void samples.push(...(await bed.honest.runOnce()).filter(isJudged));
    for (let n = 0; n < honestRounds || (!isSpent() && n < mostHonestRounds); n++) {
      await runOnce();
      await wait(betweenRoundsMs);
    }
    // Whatever the attacker has used up is missing now.
    await runOnce();
    return samples;
  });
  return { ...seen, slowdown: Number.NaN, history: [] };
}

const describe = (round: number, assault: Assault, tried: Tried) =>
  [
    `${round} ${nameOf(assault)}: ${tried.tally.requests} requests, honest p99 ${tried.slowdown.toFixed(1)} × quiet`,
    `RSS ${Math.round(tried.peakRssMiB)} MiB`,
    ...tried.history,
    ...tried.found.map((what) => `VIOLATION ${what}`),
  ].join("; ");

async function attackNeighbours(options: NeighboursOptions) {
  const { store, seed, long = false, changes = [], only, print } = options;
  const { part = { number: 1, of: 1 } } = options;
  const findings = createFindings("neighbours", options);
  const bed = await openTestBed({ store, long }, changes);
  const tally = { requests: 0, bytes: 0, honest: 0, slowdown: 0, rssMiB: 0 };
  try {
    const assaults = inOrder(bed.assaults, seed)
      .filter((assault) => only?.test(nameOf(assault)) ?? true)
      .filter((_, n) => n % part.of === part.number - 1);
    if (assaults.length === 0) throw new RangeError("No attack matches --only and --part.");
    const { honest, server } = bed;
    const { tryLong, forgetQuiet } = createLongTrial(bed);
    const startAfresh = async () => {
      await server.restart();
      forgetQuiet();
    };
    /** An attack that exceeds a bound is tried again, because earlier attacks may have left something behind. */
    const tryAgainAfresh = async (assault: Assault) => {
      const tried = await tryLong(assault);
      if (tried.found.length === 0) return tried;
      await startAfresh();
      return tryLong(assault);
    };
    const quiet = await runQuiet(bed, async () => [
      ...(await honest.runOnce()),
      ...(await honest.runOnce()),
    ]);
    let isSpoilt = false;
    const rounds = await runRounds(
      options,
      { short: shortRounds, long: assaults.length },
      async (round) => {
        // The effects of one attack must not count against the next.
        if (isSpoilt) await startAfresh();
        const assault = assaults[round % assaults.length] as Assault;
        const tried = await (long
          ? tryAgainAfresh(assault)
          : tryShort(bed, assault, quiet, options));
        for (const what of tried.found) findings.add(`${nameOf(assault)}: ${what}`, round);
        isSpoilt = tried.found.length > 0;
        tally.requests += tried.tally.requests;
        tally.bytes += tried.tally.bytes;
        tally.honest += tried.samples.length;
        tally.slowdown = Math.max(tally.slowdown, tried.slowdown || 0);
        tally.rssMiB = Math.max(tally.rssMiB, tried.peakRssMiB);
        print?.(describe(round, assault, tried));
      },
    );
    const { violations } = findings;
    return {
      name: `neighbours ${store}`,
      lines: [
        {
          what: `attacks, of ${assaults.length}: ${tally.requests.toLocaleString("en")} requests, ${Math.round(tally.bytes / 1e6)} MB`,
          rounds,
          result: `${violations.length} exceed the bounds`,
          bar: "0",
        },
        {
          what: "honest requests beside them",
          rounds: tally.honest,
          result: long ? `p99 ≤ ${tally.slowdown.toFixed(1)} × quiet` : "not timed",
          bar: `none refused, p99 ≤ ${bounds.slowdown} × quiet`,
        },
        {
          what: "largest RSS of the server",
          rounds,
          result: `${Math.round(tally.rssMiB)} MiB`,
          bar: `≤ ${bounds.rssMiB} MiB and ${bounds.rssPerConnectionMiB} a connection`,
        },
      ],
      violations,
    };
  } finally {
    await bed.close();
  }
}

/**
 * One client attacks one endpoint of the bundled server while others use it. It must not slow them down,
 * cause their requests to be refused, or use more memory or disk than documented.
 */
export const neighbours = async (options: NeighboursOptions): ReturnType<Attack> =>
  options.store === "memory"
    ? { name: "neighbours memory", lines: [], violations: [] }
    : attackNeighbours(options);
