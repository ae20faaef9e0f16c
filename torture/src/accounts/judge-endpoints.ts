import { createFindings, type Findings } from "../attack.js";
import { createDice } from "../dice.js";
import { listAccountRoutes } from "./account-requests.js";
import { setAccountScene } from "./account-scene.js";
import { compareAnswers } from "./compare-answers.js";
import { endOthersSessions } from "./end-sessions.js";
import { scanMails, tryRoutes } from "./try-routes.js";

/** Attacks every endpoint and every mailed link on SQLite, compares the answers, and returns the violations. */
export async function judgeEndpoints(): Promise<Findings["violations"]> {
  const options = { seed: 1, store: "sqlite" } as const;
  const findings = createFindings("accounts", options);
  const routes = await listAccountRoutes();
  const scene = await setAccountScene(options.store);
  try {
    const dice = createDice(options.seed);
    await tryRoutes(scene, routes, dice, options, findings);
    await endOthersSessions(scene, routes, dice, options, findings);
    await compareAnswers(scene, routes, findings);
    await scanMails(scene, routes, findings);
    return findings.violations;
  } finally {
    await scene.stop();
  }
}
