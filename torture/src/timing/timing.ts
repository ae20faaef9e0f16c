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

const defaultPairs = 5_000;

/** The status and number of slow hashes that all classes of requests must have. */
interface Price {
  readonly status: number;
  readonly hashes: number;
}

/** Sends one request of each class. The responses must be identical and have the same price. */
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
      add(`${request.path}: ${name} differs from ${first.name}: ${answer} and ${first.answer}`);
    }
    if (hashes !== price.hashes) {
      add(`${request.path}, ${name}: ${hashes} slow hashes, expected ${price.hashes}`);
    }
  }
  return Object.keys(classes).length;
}

async function compareAll(options: AttackOptions, findings: Findings): Promise<number> {
  let answers = 0;
  const { rounds: _, round: __, ...worlds } = options;
  await runRounds(worlds, { short: 2, long: 200 }, async (round) => {
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
 * Compares refusals that callers must not be able to distinguish: by bytes, by slow hashes and, in the long
 * form, by time at production cost. There, `--rounds` is the number of pairs and `--round` runs one comparison.
 */
export const timing: Attack = async (options) => {
  const findings = createFindings("timing", options);
  const answers = await compareAll(options, findings);
  const result = `${findings.violations.length} differences`;
  const bytes = {
    what: "bytes and slow hashes of refused logins, claims and repeated registrations",
    rounds: answers,
    result,
    bar: "identical; one hash for claims and repeated registrations, none for logins and hopeless registrations",
  };
  const pairs = options.rounds ?? defaultPairs;
  const timing = options.long ? await studyTiming(options, pairs, findings) : [];
  const { violations } = findings;
  return { name: `timing ${options.store}`, lines: [bytes, ...timing], violations };
};
