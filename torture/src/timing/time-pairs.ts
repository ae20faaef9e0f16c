import type { AttackOptions, Findings } from "../attack.js";
import { createDice } from "../dice.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import type { WorldRequest } from "../world.js";
import { separationOf } from "./auc.js";
import { productionOptions, type Scene, setScene } from "./scene.js";
import { openWire, type Wire } from "./wire.js";

const bar = 0.52;
const warmUp = 50;

/** The compared classes, and where time is measured: in the process, or at a socket (`wired`). */
const comparisons = [
  { route: "logins", first: "unknown device", second: "wrong secret", wired: false },
  { route: "logins", first: "unknown device", second: "wrong secret", wired: true },
  { route: "logins", first: "unknown device", second: "revoked device, right secret", wired: true },
  { route: "claims", first: "unknown device", second: "wrong code", wired: false },
  { route: "claims", first: "malformed code", second: "wrong code", wired: false },
  { route: "claims", first: "revoked device, right code", second: "wrong code", wired: false },
  {
    route: "registrations",
    first: "wrong code, other hardware",
    second: "wrong code",
    wired: false,
  },
  {
    route: "registrations",
    first: "wrong code, other fingerprint",
    second: "wrong code",
    wired: false,
  },
] as const;
type Comparison = (typeof comparisons)[number];

/** Returns the milliseconds from request to response. The token is created before. */
async function timeOf({ world, nextCustomer }: Scene, request: WorldRequest, wire: Wire | null) {
  const token = request.path.startsWith("/user/") ? await nextCustomer() : undefined;
  const refused = request.path === "/device/register" ? 409 : 401;
  const sent = { ...request, token };
  if (wire !== null) {
    const { took, status } = await wire.time(sent);
    if (status !== refused) throw new Error(`Expected ${refused}, got ${status}.`);
    return took;
  }
  const startedAt = performance.now();
  const reply = await world.send(sent);
  const took = performance.now() - startedAt;
  if (reply.status !== refused)
    throw new Error(`Expected ${refused}, got ${reply.status}: ${reply.body}`);
  return took;
}

/** Measures pairs, each in random order, so that drift affects both classes equally. */
async function measure(
  options: AttackOptions,
  { route, first, second, wired }: Comparison,
  pairs: number,
): Promise<readonly [number[], number[]]> {
  const dice = createDice(options.seed);
  const storage = await createStorage(options.store);
  const scene = await setScene(storage, options, dice, productionOptions);
  const wire = wired ? await openWire(storage.place ?? "", options.seed) : null;
  const [one, other] = [scene[route][first], scene[route][second]];
  if (one === undefined || other === undefined)
    throw new Error(`The scene has no ${first} or no ${second}.`);
  const times: [number[], number[]] = [[], []];
  for (let pair = -warmUp; pair < pairs; pair++) {
    for (const which of dice.pick([
      [0, 1],
      [1, 0],
    ])) {
      const took = await timeOf(scene, which === 0 ? one() : other(), wire);
      if (pair >= 0) times[which].push(took);
    }
    options.progress?.(Math.max(0, pair + 1), pairs);
  }
  await wire?.close();
  await scene.world.close();
  await storage.remove();
  return times;
}

const medianOf = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Measures pairs of requests that time must not distinguish. */
export async function studyTiming(
  options: AttackOptions,
  pairs: number,
  findings: Findings,
): Promise<ReportLine[]> {
  const lines: ReportLine[] = [];
  for (const [n, comparison] of comparisons.entries()) {
    const { route, first, second, wired } = comparison;
    const wanted = options.round === undefined || options.round === n;
    // Another process serves the socket, and only SQLite is set up for that.
    if (!wanted || (wired && options.store !== "sqlite")) continue;
    const times = await measure(options, comparison, pairs);
    const { auc, upper } = separationOf(...times);
    const what = `${route}${wired ? " over a socket" : ""}: ${first} or ${second}`;
    if (upper > bar) findings.add(`${what} differ in time: AUC ${auc.toFixed(4)}`, n);
    const medians = times.map((side) => medianOf(side).toFixed(3)).join(" and ");
    const result = `AUC ${auc.toFixed(4)}, bound ${upper.toFixed(4)}; medians ${medians} ms`;
    lines.push({ what, rounds: pairs, result, bar: `upper 95 % bound at most ${bar}` });
  }
  return lines;
}
