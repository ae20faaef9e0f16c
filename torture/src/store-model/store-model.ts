import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { createMemoryState } from "@device-gateway/store-memory";
import { sampleTime } from "@device-gateway/testing";
import fc from "fast-check";
import { type Attack, type AttackOptions, createFindings } from "../attack.js";
import { seedOfRound } from "../dice.js";
import { createStorage, type Storage } from "../storage.js";
import { compareStates } from "./commands.js";
import { commandArbitraries, everyMethod } from "./generate-commands.js";
import { Ids } from "./ids.js";
import { methods } from "./recipes.js";
import { GaveUp, type Model, type Tested } from "./sides.js";

const sizes = { short: 200, long: 100_000 };
const sequenceLength = 200;
/** The attack stops after this many divergences, because each takes long to shorten. */
const maxDivergences = 3;
/** How long to shorten a failing sequence. On a busy machine each try takes seconds. */
const shorteningMs = 120_000;

/** Splits a path into fast-check's path to the case and the path of its commands. */
const pathOf = (text: string | undefined) => {
  const [path, ...rest] = text?.split("/") ?? [];
  const replayPath = rest.join("/");
  return { ...(path && { path }), ...(replayPath && { replayPath }) };
};

async function openTested(storage: Storage, { plants }: AttackOptions): Promise<Tested> {
  const open = async (): Promise<GatewayStore> => {
    const store = await storage.open();
    return plants?.store?.(store) ?? store;
  };
  return { handles: [await open(), await open()], open };
}

interface Tally {
  /** Number of random calls, by method. */
  readonly calls: Map<string, number>;
  /** The same for calls that the short form adds, because its random calls do not reach every method. */
  readonly added: Map<string, number>;
  /** Sequences that ended early because the store was unavailable, as on a busy machine. */
  givenUp: number;
}

/** Runs one sequence of commands, and shortens it if it fails. Returns the failure, or null. */
async function runSequence(
  options: AttackOptions,
  round: number,
  tally: Tally,
): Promise<{ readonly what: string; readonly path: string } | null> {
  const { path, replayPath } = pathOf(options.path);
  const commands = fc.commands([...commandArbitraries], {
    maxCommands: sequenceLength,
    size: "max",
    ...(replayPath && { replayPath }),
  });
  let failedAt: number | null = null;
  const added = options.long ? fc.constant([]) : everyMethod;
  const property = fc.asyncProperty(commands, added, async (sequence, last) => {
    if (failedAt !== null && performance.now() - failedAt > shorteningMs) return;
    const storage = await createStorage(options.store);
    let tested: Tested | undefined;
    try {
      tested = await openTested(storage, options);
      const model: Model = {
        state: createMemoryState(),
        ids: new Ids(),
        now: sampleTime,
        cursors: [],
        calls: tally.calls,
      };
      await fc.asyncModelRun(() => ({ model, real: tested }), sequence);
      model.calls = tally.added;
      for (const command of last) await command.run(model, tested);
      await compareStates(model, tested);
    } catch (error) {
      if (error instanceof GaveUp || error instanceof StoreUnavailableError) {
        tally.givenUp++;
        return;
      }
      failedAt ??= performance.now();
      throw error;
    } finally {
      for (const handle of tested?.handles ?? []) await handle.close();
      await storage.remove();
    }
  });
  const seed = seedOfRound(options.seed, round) | 0;
  const run = await fc.check(property, { numRuns: 1, seed, ...(path && { path }) });
  if (!run.failed) return null;
  const shortest = String(run.counterexample?.[0]);
  const replay = /replayPath="([^"]*)"/.exec(shortest)?.[1] ?? "";
  const error = run.errorInstance instanceof Error ? run.errorInstance.message : "";
  return {
    what: `${error} after ${shortest}`,
    path: `${run.counterexamplePath ?? "0"}/${replay}`,
  };
}

/**
 * Makes sequences of calls of every method of every port on the store and on the memory store, the model.
 * Both must give the same answers and hold the same data. Simultaneous calls must have the result of some
 * sequential order.
 */
export const storeModel: Attack = async (options) => {
  const findings = createFindings("store-model", options);
  const tally: Tally = { calls: new Map(), added: new Map(), givenUp: 0 };
  const { calls } = tally;
  const total = () => [...calls.values()].reduce((sum, count) => sum + count, 0);
  const wanted = options.rounds ?? sizes[options.long ? "long" : "short"];
  let round = options.round ?? 0;
  do {
    const failure = await runSequence(options, round, tally);
    if (failure !== null) findings.add(failure.what, { round, path: failure.path });
    options.progress?.(Math.min(total(), wanted), wanted);
    round += 1;
  } while (
    options.round === undefined &&
    total() < wanted &&
    findings.violations.length < maxDivergences &&
    !findings.hasEnough()
  );
  const { violations } = findings;
  const rounds = round - (options.round ?? 0);
  if (tally.givenUp > 1 + rounds / 20)
    findings.add(`the store was unavailable in ${tally.givenUp} of ${rounds} sequences`);
  const never = methods
    .map(({ port, name }) => `${port}.${name}`)
    .filter((name) => !calls.has(name) && !tally.added.has(name));
  // A sequence that fails or ends early does not call every method.
  const mustCallAll = options.long ? total() > 5_000 : tally.givenUp < rounds;
  if (mustCallAll && violations.length === 0 && never.length > 0) {
    findings.add(`never called: ${never.join(", ")}`);
  }
  return {
    name: `store-model ${options.store}`,
    lines: [
      {
        what: `calls of ${methods.length} methods against the model`,
        rounds: total(),
        result: `${violations.length} divergences`,
        bar: "0 in 100,000",
      },
      {
        what: "sequences, ended early if the store was unavailable",
        rounds,
        result: `${tally.givenUp} ended early`,
        bar: "few",
      },
    ],
    violations,
  };
};
