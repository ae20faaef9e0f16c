import { type Attack, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { listAccountRoutes } from "./account-requests.js";
import { setAccountScene } from "./account-scene.js";
import { claimPrivileges, outliveSessions, sendBadTexts } from "./check-rules.js";
import { compareAnswers } from "./compare-answers.js";
import { compareTimes } from "./compare-times.js";
import { endOthersSessions } from "./end-sessions.js";
import { hijack } from "./hijack.js";
import { scanMails, tryRoutes } from "./try-routes.js";

const longRounds = 200;
const pairsPerRound = 20;

/** Attacks the accounts of the bundled server, over better-auth's own list of endpoints. A round is one order of events. */
export const accounts: Attack = async (options) => {
  const findings = createFindings("accounts", options);
  const name = `accounts ${options.store}`;
  // The bundled server cannot use memory.
  if (options.store === "memory") return { name, lines: [], violations: [] };
  const routes = await listAccountRoutes();
  const scene = await setAccountScene(options.store);
  try {
    const dice = createDice(options.seed);
    const pairs = pairsPerRound * (options.rounds ?? longRounds);
    const lines = [
      await tryRoutes(scene, routes, dice, options, findings),
      await endOthersSessions(scene, routes, dice, options, findings),
      await scanMails(scene, routes, findings),
      await compareAnswers(scene, routes, findings),
      ...(options.long ? await compareTimes(scene, routes, findings, pairs, options.progress) : []),
      await sendBadTexts(scene, routes, dice, options, findings),
      await claimPrivileges(scene, routes, findings),
    ];
    const rounds = await runRounds(options, { short: 1, long: longRounds }, (round) =>
      hijack(scene, routes, createDice(seedOfRound(options.seed, round)), round, findings),
    );
    lines.push({
      what: "orders of events with an attacker",
      rounds,
      result: "played",
      bar: "the owner wins",
    });
    lines.push(await outliveSessions(scene, findings));
    return { name, lines, violations: findings.violations };
  } finally {
    await scene.stop();
  }
};
