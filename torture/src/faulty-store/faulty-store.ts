import { type Attack, createFindings, runRounds } from "../attack.js";
import { seedOfRound } from "../dice.js";
import { openFuzzWorld } from "../fuzz/fuzz-world.js";
import { createStorage } from "../storage.js";
import { methods } from "../store-model/recipes.js";
import { createFaultyStore } from "./create-faulty-store.js";
import { faultCalls, faultEachCall } from "./fault-each-call.js";
import { runRetryingClients } from "./retrying-clients.js";

/** Methods that only programs beside the gateway call: the evaluator of alerts, the sink, webhooks and followers of events. */
const ofPrograms = new Set([
  ...["due", "findWatch", "judge", "firing", "rulesOf", "ruleScope"].map(
    (name) => `alerts.${name}`,
  ),
  ...["alerts.takeNotifications", "alerts.settleNotification"],
  ...["telemetry.follow", "telemetry.end", "securityEvents.prunedUpTo"],
]);

const sizes = { short: 1, long: 20 };
/** The short form tries every twelfth fault, and fewer on a database, because the gateway handles faults alike. */
const shortSteps = { memory: 12, sqlite: 48, postgres: 48 };

/**
 * Makes each call of the store fail in each of four ways, under every route and in maintenance. Also runs
 * retrying clients while 15 % of all calls fail. No answer may be wrong, nothing may crash, and in the end
 * each request must have been carried out exactly once.
 */
export const faultyStore: Attack = async (options) => {
  const findings = createFindings("faulty-store", options);
  const storage = await createStorage(options.store);
  const world = await openFuzzWorld(storage, options.seed, {
    ...options.plants,
    store: (store) => createFaultyStore(options.plants?.store?.(store) ?? store),
  });
  let round = 0;
  const crash = (error: unknown) => findings.add(`unhandled rejection: ${String(error)}`, round);
  process.on("unhandledRejection", crash);

  const step = options.long || options.rounds !== undefined ? 1 : shortSteps[options.store];
  const failed = new Set<string>(["store.ping"]);
  let [tries, sent] = [0, 0];
  const rounds = await runRounds(options, sizes, async (n) => {
    round = n;
    const isWanted = (fault: number) => fault % step === (options.seed + n) % step;
    const parts = [await faultEachCall(world, findings, n, isWanted)];
    if (!findings.hasEnough()) parts.push(await faultCalls(world, findings, n));
    for (const part of parts) {
      tries += part.tries;
      for (const name of part.failed) failed.add(name);
    }
    if (findings.hasEnough()) return;
    sent += await runRetryingClients(world, findings, seedOfRound(options.seed, n), n);
  });
  process.off("unhandledRejection", crash);
  await world.close();
  await storage.remove();

  const missed = methods
    .filter(({ port }) => port !== "followers" && port !== "webhooks")
    .map(({ port, name }) => `${port}.${name}`)
    .filter((name) => !ofPrograms.has(name) && !failed.has(name));
  if (step === 1 && missed.length > 0) findings.add(`never failed: ${missed.join(", ")}`);
  const { violations } = findings;
  const result = `${violations.length} violations`;
  return {
    name: `faulty-store ${options.store}`,
    lines: [
      {
        what: `${failed.size} methods, each call failing in each of 4 ways, ${rounds}×`,
        rounds: tries,
        result,
        bar: "no wrong answer, no crash",
      },
      {
        what: "steps of retrying clients, 15 % of all calls failing",
        rounds: sent,
        result: "done once each",
        bar: "each done once",
      },
    ],
    violations,
  };
};
