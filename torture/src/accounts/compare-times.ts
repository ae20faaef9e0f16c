import type { AttackOptions, Findings } from "../attack.js";
import type { ReportLine } from "../report.js";
import { separationOf } from "../timing/auc.js";
import type { AccountRoute } from "./account-requests.js";
import type { AccountScene } from "./account-scene.js";
import { askAbout, asking } from "./compare-answers.js";

const warmUp = 20;
/** A difference counts if the lower 95 % bound of its AUC exceeds this. Equal times do that once in many thousand runs. */
const bar = 0.53;

/** An address whose account the endpoint has most to do for: only an unverified one gets a new link. */
const busyAddress = ({ path }: AccountRoute) =>
  path.includes("verification") ? "timed-unverified@example.com" : "timed@example.com";

/** Times each endpoint that takes an address, with one that has an account and one that has none, `pairs` times each. */
export async function compareTimes(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  findings: Findings,
  pairs: number,
  progress: AttackOptions["progress"],
): Promise<ReportLine[]> {
  await scene.signUp("timed@example.com", { verified: true });
  await scene.signUp("timed-unverified@example.com");
  const lines: ReportLine[] = [];
  for (const [field, route] of [
    ...asking(routes, "email").map((one) => ["email", one] as const),
    ...asking(routes, "newEmail").map((one) => ["newEmail", one] as const),
  ]) {
    // A new session, because it may change its address for ten minutes only.
    const asker =
      field === "email"
        ? undefined
        : await scene.signUp(`timing-${lines.length}@example.com`, { verified: true });
    const ask = (address: string) => {
      const fields = { [field]: address, password: "a wrong password" };
      return askAbout(scene, route, fields, asker?.cookie());
    };
    const times: [number[], number[]] = [[], []];
    for (let pair = -warmUp; pair < pairs; pair++) {
      for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        // The one without an account has the same length.
        const address = busyAddress(route);
        const { milliseconds } = await ask(which === 0 ? address : `un${address.slice(2)}`);
        if (pair >= 0) times[which].push(milliseconds);
      }
      progress?.(Math.max(0, pair + 1), pairs);
    }
    const { auc, upper } = separationOf(...times);
    const what = `${route.path}: an account or none, by time`;
    const lower = auc - (upper - auc);
    const medians = times
      .map((side) => [...side].sort((a, b) => a - b)[Math.floor(pairs / 2)]?.toFixed(2))
      .join(" and ");
    const result = `AUC ${auc.toFixed(3)} (${lower.toFixed(3)} to ${upper.toFixed(3)}); medians ${medians} ms`;
    if (lower > bar) findings.add(`${what}: ${result}`);
    lines.push({ what, rounds: pairs, result, bar: `lower 95 % bound at most ${bar}` });
  }
  return lines;
}
