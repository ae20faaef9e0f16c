import {
  type Attack,
  type AttackOptions,
  createFindings,
  type Findings,
  runRounds,
} from "../attack.js";
import { comparable } from "../comparable.js";
import { createDice, seedOfRound } from "../dice.js";
import { createStorage } from "../storage.js";
import type { WorldRequest } from "../world.js";
import { type Scene, setScene } from "./scene.js";
import { studyTiming } from "./time-pairs.js";

const usualPairs = 5_000;

/** What all classes of requests must get: the same status, for as many slow hashes. */
interface Price {
  readonly status: number;
  readonly hashes: number;
}

/** Sends one request of each class; their answers must be one, at the same price. */
async function compareAnswers(
  scene: Scene,
  classes: Readonly<Record<string, () => WorldRequest>>,
  price: Price,
  add: (what: string) => void,
): Promise<number> {
  let first: { readonly name: string; readonly answer: string } | undefined;
  for (const [name, make] of Object.entries(classes)) {
    const request = make();
    const before = scene.world.slowHashes();
    const token = request.path.startsWith("/user/") ? await scene.nextCustomer() : undefined;
    const reply = await scene.world.send({ ...request, token });
    const hashes = scene.world.slowHashes() - before;
    const answer = comparable(reply);
    first ??= { name, answer };
    if (reply.status !== price.status)
      add(`${request.path}, ${name}: ${reply.status} ${reply.body}`);
    if (answer !== first.answer) {
      add(`${request.path}: ${name} is told from ${first.name}: ${answer} and ${first.answer}`);
    }
    if (hashes !== price.hashes) {
      add(`${request.path}, ${name}: ${hashes} slow hashes, must be ${price.hashes}`);
    }
  }
  return Object.keys(classes).length;
}

async function compareAll(options: AttackOptions, findings: Findings): Promise<number> {
  let answers = 0;
  const { rounds: _, round: __, ...worlds } = options;
  await runRounds(worlds, { short: 5, long: 200 }, async (round) => {
    const dice = createDice(seedOfRound(options.seed, round));
    const storage = await createStorage(options.store);
    const scene = await setScene(storage, options, dice);
    const add = (what: string) => findings.add(what, round);
    answers += await compareAnswers(scene, scene.logins, { status: 401, hashes: 0 }, add);
    answers += await compareAnswers(scene, scene.claims, { status: 401, hashes: 1 }, add);
    answers += await compareAnswers(scene, scene.registrations, { status: 409, hashes: 1 }, add);
    answers += await compareAnswers(scene, scene.hopeless, { status: 409, hashes: 0 }, add);
    await scene.world.close();
    await storage.remove();
  });
  return answers;
}

/**
 * S4: answers that must not be told apart, by bytes, by work, and in the long form by time, at
 * production cost. `--rounds` is the number of pairs there, `--round` the one comparison to make.
 */
export const timing: Attack = async (options) => {
  const findings = createFindings("timing", options);
  const answers = await compareAll(options, findings);
  const result = `${findings.violations.length} differences`;
  const bytes = {
    what: "bytes and slow hashes of refusals at login, claim and registering again",
    rounds: answers,
    result,
    bar: "identical; one hash at claim and registering again, none at login or without hope",
  };
  const pairs = options.rounds ?? usualPairs;
  const timing = options.long ? await studyTiming(options, pairs, findings) : [];
  const { violations } = findings;
  return { name: `S4 ${options.store}`, lines: [bytes, ...timing], violations };
};
