import { setTimeout as wait } from "node:timers/promises";
import { bounds, calmOf, slowdownOf } from "./judge.js";
import type { Assault } from "./requests/assault.js";
import { type Quiet, runAssault, runQuiet, type Seen } from "./run-assault.js";
import type { TestBed } from "./test-bed.js";

export interface Tried extends Seen {
  /** Honest p99 as a multiple of the quiet p99. NaN if time is not judged. */
  readonly slowdown: number;
  /** Why the attack was suspicious, and the measured slowdowns. Empty if it was not suspicious. */
  readonly history: readonly string[];
}

/** Duration of the first measurement of each attack. The bounds on what an attack may leave behind shrink in proportion. */
const briefMs = 1_200;
/** Two brief measurements, because noise can make one of them suspicious. */
const briefLooks = 2;
const fullMs = 8_000;
const fullLooks = 3;
/** A brief quiet window is measured before every six attacks. The attack is compared with the calm ones of the latest six windows. */
const attacksPerQuiet = 6;
const quietKept = 6;
const warmUpMs = 3_000;
/** Pause after an attack, so that its remaining work does not slow the next quiet window. */
const restMs = 300;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const merge = (windows: readonly Quiet[]): Quiet => ({
  samples: windows.flatMap(({ samples }) => samples),
  bytesPerRequest: median(windows.map(({ bytesPerRequest }) => bytesPerRequest)),
});

/** Measures attacks one after another. Each is measured briefly, and a suspicious one again for longer. */
export function createLongTrial(bed: TestBed) {
  const { honest, server } = bed;
  let recent: Quiet[] = [];
  let sinceQuiet = 0;

  async function runQuietFor(ms: number): Promise<Quiet> {
    await wait(restMs);
    return runQuiet(bed, () => honest.runFor(ms));
  }

  async function refreshQuiet(): Promise<void> {
    if (recent.length === 0) await honest.runFor(warmUpMs);
    do recent.push(await runQuietFor(briefMs));
    while (recent.length < quietKept);
    recent = recent.slice(-quietKept);
    sinceQuiet = 0;
  }

  async function lookBriefly(assault: Assault): Promise<Tried> {
    if (recent.length === 0 || sinceQuiet >= attacksPerQuiet) await refreshQuiet();
    sinceQuiet += 1;
    const quiet = merge(calmOf(recent));
    const load = () => honest.runFor(briefMs);
    const seen = await runAssault(bed, assault, quiet, load, briefMs / fullMs);
    return { ...seen, slowdown: slowdownOf(quiet.samples, seen.samples), history: [] };
  }

  /** Measures between quiet windows until most of the measurements agree. */
  async function lookClosely(assault: Assault): Promise<readonly Tried[]> {
    const looks: Tried[] = [];
    const isDecided = () => {
      const slow = looks.filter(({ slowdown }) => slowdown > bounds.slowdown).length;
      return Math.max(slow, looks.length - slow) > fullLooks / 2;
    };
    let before = await runQuietFor(fullMs);
    while (!isDecided() && server.isRunning()) {
      const seen = await runAssault(bed, assault, before, () => honest.runFor(fullMs));
      const after = server.isRunning() ? await runQuietFor(fullMs) : before;
      const slowdown = slowdownOf(merge([before, after]).samples, seen.samples);
      looks.push({ ...seen, slowdown, history: [] });
      before = after;
    }
    return looks;
  }

  return {
    async tryLong(assault: Assault): Promise<Tried> {
      const looks: Tried[] = [];
      while (looks.length < briefLooks) {
        const brief = await lookBriefly(assault);
        looks.push(brief);
        if (!server.isRunning()) break;
        if (brief.suspicious.length > 0) break;
        if (brief.slowdown <= bounds.slowdown) return { ...brief, history: [] };
        await refreshQuiet();
      }
      const close = await lookClosely(assault);
      looks.push(...close);
      const slowdown = median(close.map((look) => look.slowdown));
      const found = new Set(looks.flatMap((look) => look.found));
      if (slowdown > bounds.slowdown) {
        found.add(`honest p99 is ${slowdown.toFixed(1)} × its quiet p99`);
      }
      const history = [
        ...looks.flatMap((look) => look.suspicious),
        `slowdowns ${looks.map((look) => look.slowdown.toFixed(1)).join(", ")}`,
      ];
      const [first] = looks as [Tried];
      return { ...first, found: [...found], slowdown, history };
    },
    /** Forgets the quiet windows. Call it after the server was restarted. */
    forgetQuiet() {
      recent = [];
      sinceQuiet = 0;
    },
  };
}
