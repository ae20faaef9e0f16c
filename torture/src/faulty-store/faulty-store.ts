import { type Attack, createFindings, runRounds } from "../attack.js";
import { seedOfRound } from "../dice.js";
import { openFuzzWorld } from "../fuzz/fuzz-world.js";
import { createStorage } from "../storage.js";
import { methods } from "../store-model/recipes.js";
import { besiege } from "./besiege.js";
import { createFaultyStore } from "./create-faulty-store.js";
import { faultEachCall, faultMaintenance } from "./fault-each-call.js";

const sizes = { short: 1, long: 20 };
/** The short form takes every so-many-th fault. */
const shortStep = 6;

/**
 * R8: each call of the store goes wrong in each way, in every route's deeds and in maintenance, and a
 * store that fails all the time under clients that repeat themselves: no wrong answer, no crash, and
 * in the end what was asked for is done once.
 */
export const faultyStore: Attack = async (options) => {
  const findings = createFindings("faulty-store", options);
  const storage = await createStorage(options.store);
  const world = await openFuzzWorld(storage, options.seed, {
    ...options.plants,
    store: (store) => createFaultyStore(options.plants?.store?.(store) ?? store),
  });
  let round = 0;
  const crash = (error: unknown) => findings.add(`nobody waits for ${String(error)}`, round);
  process.on("unhandledRejection", crash);

  const step = options.long || options.rounds !== undefined ? 1 : shortStep;
  const struck = new Set<string>(["store.ping"]);
  let [tries, sent] = [0, 0];
  const rounds = await runRounds(options, sizes, async (n) => {
    round = n;
    const isWanted = (fault: number) => fault % step === (options.seed + n) % step;
    const parts = [
      await faultEachCall(world, findings, n, isWanted),
      await faultMaintenance(world, findings, n),
    ];
    for (const part of parts) {
      tries += part.tries;
      for (const name of part.struck) struck.add(name);
    }
    sent += await besiege(world, findings, seedOfRound(options.seed, n), n);
  });
  process.off("unhandledRejection", crash);
  await world.close();
  await storage.remove();

  const spared = methods
    .map(({ port, name }) => `${port}.${name}`)
    .filter((name) => !struck.has(name));
  if (step === 1 && spared.length > 0) findings.add(`never went wrong: ${spared.join(", ")}`);
  const { violations } = findings;
  const result = `${violations.length} violations`;
  return {
    name: `R8 ${options.store}`,
    lines: [
      {
        what: `${struck.size} methods, each call in each of 4 ways, ${rounds}×`,
        rounds: tries,
        result,
        bar: "no wrong answer, no crash",
      },
      {
        what: "steps of clients that repeat them, 15 % of all calls failing",
        rounds: sent,
        result: "done once each",
        bar: "all converge",
      },
    ],
    violations,
  };
};
