import { createSeededRandom } from "@device-gateway/testing";
import { createTestCloud, type TestCloud } from "@device-gateway/testing/cloud";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createDevice } from "../device/device.js";
import { type BufferStorage, createMemoryBuffer } from "./buffer-storage.js";

class PowerCut extends Error {}

/** A storage that loses power after `budget.lines` lines and fails until the next boot. */
function breakAfter(storage: BufferStorage, budget: { lines: number }): BufferStorage {
  const spend = (lines: readonly string[]) => {
    const written = lines.slice(0, Math.max(0, budget.lines));
    budget.lines -= lines.length;
    return written;
  };
  const guard = () => {
    if (budget.lines < 0) throw new PowerCut();
  };
  return {
    async load() {
      guard();
      return storage.load();
    },
    async append(lines) {
      guard();
      await storage.append(spend(lines));
      guard();
    },
    async replace(lines) {
      guard();
      budget.lines -= 1;
      guard();
      await storage.replace(lines);
    },
  };
}

type Step =
  | { readonly kind: "record"; readonly count: number }
  | { readonly kind: "flush" }
  | { readonly kind: "lose" | "refuse" | "restart" }
  | { readonly kind: "power_cut"; readonly afterLines: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("record" as const), count: fc.integer({ min: 1, max: 30 }) }),
  fc.constant({ kind: "flush" } as const),
  fc.record({ kind: fc.constantFrom("lose" as const, "refuse" as const, "restart" as const) }),
  fc.record({
    kind: fc.constant("power_cut" as const),
    afterLines: fc.integer({ min: 0, max: 40 }),
  }),
);

async function runSteps(cloud: TestCloud, deviceId: string, steps: readonly Step[]) {
  const storage = createMemoryBuffer();
  let seed = 1;
  const boot = (budget: { lines: number }) =>
    createDevice({
      baseUrl: cloud.baseUrl,
      fetch: cloud.fetch,
      identity: {
        deviceId,
        hardwareId: "esp32",
        firmwareVersion: "1.0.0",
        claimCode: "ABCD-EFGH",
      },
      clock: cloud.clock,
      sleep: cloud.sleep,
      random: createSeededRandom(seed++),
      retry: { tries: 2 },
      buffer: breakAfter(storage, budget),
    });
  const mains = () => ({ lines: Number.POSITIVE_INFINITY });
  let device = boot(mains());
  let next = 0;
  const acknowledged: number[] = [];
  for (const each of steps) {
    switch (each.kind) {
      case "record": {
        const fresh = Array.from({ length: each.count }, (_, i) => ({ n: next + i }));
        next += each.count;
        const recorded = await device.record(...fresh);
        if (recorded.isOk()) acknowledged.push(...fresh.map(({ n }) => n));
        break;
      }
      case "flush":
        // The result does not matter here. The test checks what arrives in the end.
        (await device.flush()).unwrapOr(null);
        break;
      case "lose":
        cloud.fail("sendTelemetry", { kind: "lost_answer" }, { times: 2 });
        break;
      case "refuse":
        cloud.fail("sendTelemetry", { kind: "unavailable", retryAfterSeconds: 1 }, { times: 2 });
        break;
      case "power_cut":
        device = boot({ lines: each.afterLines });
        break;
      case "restart":
        device = boot(mains());
        break;
    }
  }
  cloud.clearFaults();
  expect((await boot(mains()).flush()).isOk()).toBe(true);
  return { acknowledged, offered: next };
}

test("acknowledged records arrive exactly once despite lost responses, refusals and power cuts", async () => {
  const cloud = await createTestCloud({ gateway: { limits: { authPerMinute: 1_000_000 } } });
  onTestFinished(() => cloud.close());
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const deviceId = `gw-${runs++}`;
      const { acknowledged, offered } = await runSteps(cloud, deviceId, steps);
      const records = await cloud.records(deviceId);
      const arrived = records.map((record) => (record as { n: number }).n);
      expect(new Set(arrived).size).toBe(arrived.length);
      expect(acknowledged.filter((n) => !arrived.includes(n))).toEqual([]);
      expect(arrived.every((n) => n < offered)).toBe(true);
    }),
    { numRuns: 40 },
  );
});
