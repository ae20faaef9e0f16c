import type { Findings } from "../attack.js";
import type { FuzzScene, FuzzWorld } from "../fuzz/fuzz-world.js";
import { type FaultKind, faultKinds, planOnce, settle, withPlan } from "./create-faulty-store.js";
import { type Deed, deeds, successesOf } from "./deeds.js";
import { sendInProcess } from "./send-in-process.js";

/** Far enough for a poll of the change feed, and for the device to be seen anew. */
const stepMs = 61_000;

async function tryDeed(
  world: FuzzWorld,
  scene: FuzzScene,
  deed: Deed,
  at: number,
  kind: FaultKind,
): Promise<{ readonly calls: readonly string[]; readonly found: readonly string[] }> {
  const request = await deed.request(scene);
  world.advance(stepMs);
  const plan = planOnce(at, kind);
  const first = await withPlan(plan, () => sendInProcess(world.handle, request));
  const struck = plan.calls[at];
  const found: string[] = [];
  const success = successesOf(deed.name);
  const failures = kind === "broken" ? [500, 503] : [503];
  if (![...success, ...failures].includes(first.status)) found.push(`says ${first.status}`);
  const second = await sendInProcess(world.handle, request);
  if (![...success, ...deed.again].includes(second.status)) {
    found.push(`says ${second.status} when it is repeated`);
  }
  await settle();
  const wrong = await deed.settled(world.store, request);
  if (wrong !== null) found.push(`ends so that ${wrong}`);
  return {
    calls: plan.calls,
    found: found.map((what) => `${kind} at ${struck}: ${deed.name} ${what}`),
  };
}

/** Makes each call of each deed go wrong once in each way; says which calls there were. */
export async function faultEachCall(
  world: FuzzWorld,
  findings: Findings,
  round: number,
  isWanted: (n: number) => boolean,
): Promise<{ readonly struck: ReadonlySet<string>; readonly tries: number }> {
  const struck = new Set<string>();
  let tries = 0;
  let n = 0;
  for (const deed of deeds) {
    const scene = await world.build();
    const { calls } = await tryDeed(world, scene, deed, -1, "unavailable");
    for (const [at, name] of calls.entries()) {
      for (const kind of faultKinds) {
        if (!isWanted(n++)) continue;
        struck.add(name);
        tries++;
        const { found } = await tryDeed(world, scene, deed, at, kind);
        for (const what of found) findings.add(what, round);
      }
    }
  }
  return { struck, tries };
}

/** The same for what a gateway does by itself: it rejects, or goes on, and is whole the next time. */
export async function faultMaintenance(
  world: FuzzWorld,
  findings: Findings,
  round: number,
): Promise<{ readonly struck: ReadonlySet<string>; readonly tries: number }> {
  const struck = new Set<string>();
  let tries = 0;
  const { device } = await world.build();
  const chores: Readonly<Record<string, () => Promise<unknown>>> = {
    maintain: () => world.gateway.maintain(),
    rebuildRollUps: () => world.gateway.rebuildRollUps({ deviceId: device.deviceId }),
  };
  for (const [chore, run] of Object.entries(chores)) {
    for (let at = 0, more = true; more; at++) {
      for (const kind of faultKinds) {
        const plan = planOnce(at, kind);
        const planted = await withPlan(plan, run).then(
          () => true,
          (error: unknown) => error instanceof Error && /planted|lost/.test(error.message),
        );
        if (!planted) findings.add(`${kind} at ${plan.calls[at]}: ${chore} fails of itself`, round);
        await settle();
        await run();
        tries++;
        const name = plan.calls[at];
        more = name !== undefined;
        if (name !== undefined) struck.add(name);
      }
    }
  }
  return { struck, tries };
}
