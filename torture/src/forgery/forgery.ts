import { type Attack, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { makeKeys } from "./doors.js";
import { tryOldEpochs } from "./old-epochs.js";
import { tryForgeries } from "./try-forgeries.js";

/**
 * S2: forged and confused tokens at every kind of door, each of which must answer 401 and nothing
 * else; tokens of an epoch that is over; and genuine ones, which must pass.
 */
export const forgery: Attack = async (options) => {
  const findings = createFindings("forgery", options);
  let forgeries = 0;
  let old = 0;
  await runRounds(options, { short: 1, long: 20 }, async (round) => {
    const dice = createDice(seedOfRound(options.seed, round));
    const keys = makeKeys();
    for (const by of ["secret", "keys"] as const) {
      const { found, tried } = await tryForgeries(options, by, keys, dice);
      for (const what of found) findings.add(what, round);
      forgeries += tried;
    }
    const { found, tried } = await tryOldEpochs(options);
    for (const what of found) findings.add(what, round);
    old += tried;
  });
  const { violations } = findings;
  const wrong = `${violations.length} wrong answers`;
  return {
    name: `S2 ${options.store}`,
    lines: [
      {
        what: "forged and confused tokens",
        rounds: forgeries,
        result: wrong,
        bar: "0 accepted, 0 × 5xx",
      },
      {
        what: "tokens of an epoch that is over",
        rounds: old,
        result: "counted above",
        bar: "0 accepted",
      },
    ],
    violations,
  };
};
