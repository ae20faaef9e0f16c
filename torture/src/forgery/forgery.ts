import { type Attack, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { tryOldEpochs } from "./old-epochs.js";
import { tryForgeries } from "./try-forgeries.js";
import { makeKeys } from "./verifiers.js";

/**
 * Sends forged and misused tokens to every kind of endpoint, and tokens of earlier epochs. Each must get
 * exactly a 401. Genuine tokens must be accepted.
 */
export const forgery: Attack = async (options) => {
  const findings = createFindings("forgery", options);
  // Signatures do not depend on the store, so the short form forges on SQLite only.
  const verifiers = options.long || options.store === "sqlite" ? (["secret", "keys"] as const) : [];
  let forgeries = 0;
  let old = 0;
  await runRounds(options, { short: 1, long: 20 }, async (round) => {
    const dice = createDice(seedOfRound(options.seed, round));
    const keys = makeKeys();
    for (const by of verifiers) {
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
    name: `forgery ${options.store}`,
    lines: [
      {
        what: "forged and misused tokens",
        rounds: forgeries,
        result: wrong,
        bar: "0 accepted, 0 × 5xx",
      },
      {
        what: "tokens of earlier epochs",
        rounds: old,
        result: "counted above",
        bar: "0 accepted",
      },
    ],
    violations,
  };
};
