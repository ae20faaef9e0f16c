import { operator } from "@device-gateway/core";
import type { Findings } from "../attack.js";
import type { FuzzScene, FuzzWorld } from "../fuzz/fuzz-world.js";
import { type FaultKind, faultKinds, planOnce, settle, withPlan } from "./create-faulty-store.js";
import { type Operation, operations, successesOf } from "./operations.js";
import { sendInProcess } from "./send-in-process.js";

/** Long enough for a poll of the change feed and for a new "last seen" of the device. */
const stepMs = 61_000;

async function tryOperation(
  world: FuzzWorld,
  scene: FuzzScene,
  operation: Operation,
  at: number,
  kind: FaultKind,
): Promise<{
  readonly calls: readonly string[];
  /** The method that failed. Undefined if the request made fewer calls. */
  readonly failedCall: string | undefined;
  readonly found: readonly string[];
}> {
  const request = await operation.request(scene);
  world.advance(stepMs);
  const plan = planOnce(at, kind);
  const first = await withPlan(plan, () => sendInProcess(world.handle, request));
  const failedCall = plan.calls[at];
  const found: string[] = [];
  const success = successesOf(operation.name);
  const failures = kind === "broken" ? [500, 503] : [503];
  if (![...success, ...failures].includes(first.status)) found.push(`returned ${first.status}`);
  const second = await sendInProcess(world.handle, request);
  if (![...success, ...operation.again].includes(second.status)) {
    found.push(`returned ${second.status} when repeated`);
  }
  await settle();
  const wrong = await operation.settled(world.store, request);
  if (wrong !== null) found.push(`left the store wrong: ${wrong}`);
  return {
    calls: plan.calls,
    failedCall,
    found: found.map((what) => `${kind} at ${failedCall}: ${operation.name} ${what}`),
  };
}

/** Makes each call of the store in each operation fail once in each way. Returns which methods failed. */
export async function faultEachCall(
  world: FuzzWorld,
  findings: Findings,
  round: number,
  isWanted: (n: number) => boolean,
): Promise<{ readonly failed: ReadonlySet<string>; readonly tries: number }> {
  const failed = new Set<string>();
  let tries = 0;
  let n = 0;
  for (const operation of operations) {
    const scene = await world.build();
    const { calls } = await tryOperation(world, scene, operation, -1, "unavailable");
    for (const at of calls.keys()) {
      for (const kind of faultKinds) {
        if (findings.hasEnough()) return { failed, tries };
        if (!isWanted(n++)) continue;
        tries++;
        const { failedCall, found } = await tryOperation(world, scene, operation, at, kind);
        if (failedCall !== undefined) failed.add(failedCall);
        for (const what of found) findings.add(what, round);
      }
    }
  }
  return { failed, tries };
}

/** The same for what is called in code only: a faulty run rejects or goes on, and the next run succeeds. */
export async function faultCalls(
  world: FuzzWorld,
  findings: Findings,
  round: number,
): Promise<{ readonly failed: ReadonlySet<string>; readonly tries: number }> {
  const failed = new Set<string>();
  let tries = 0;
  const { device } = await world.build();
  const { deviceId } = device;
  const api = world.gateway.as(operator({ id: "operator-1" }));
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    maintain: () => world.gateway.maintain(),
    rebuildRollUps: () => world.gateway.rebuildRollUps({ deviceId }),
    assignDevice: () => api.assignDevice({ params: { deviceId }, body: { customerId: "owner-1" } }),
  };
  for (const [operation, run] of Object.entries(operations)) {
    for (let at = 0, more = true; more; at++) {
      for (const kind of faultKinds) {
        const plan = planOnce(at, kind);
        const planted = await withPlan(plan, run).then(
          () => true,
          (error: unknown) => error instanceof Error && /planted|lost/.test(error.message),
        );
        if (!planted)
          findings.add(
            `${kind} at ${plan.calls[at]}: ${operation} rejects with an error of its own`,
            round,
          );
        await settle();
        await run();
        tries++;
        const name = plan.calls[at];
        more = name !== undefined;
        if (name !== undefined) failed.add(name);
      }
    }
  }
  return { failed, tries };
}
