import { expect, test } from "vitest";
import type { ClientError } from "../../client-error.js";
import { createFleetStats } from "./fleet-stats.js";
import { runFleet } from "./run-fleet.js";
import type { VirtualGateway } from "./virtual-gateway.js";

const refused: ClientError = { code: "device_not_admitted", message: "Wrong code.", status: 403 };

const context = { now: Date.now, print: () => {}, log: () => {}, show: null };
const plan = { devices: 2, intervalMs: 3_600_000, durationMs: 3_600_000 };

/** Work that ends when the test says so. */
function createWork() {
  let end = () => {};
  let begin = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { begun, begin, ended, end };
}

function createGateway(changes: Partial<VirtualGateway>): VirtualGateway {
  return {
    ...{ deviceId: "sim-1", firmware: "1.0.0", phase: 0 },
    connect: async () => null,
    tick: async () => {},
    finish: async () => 0,
    ...changes,
  };
}

test("a fleet that cannot register has ended all of its work when it fails", async () => {
  const tick = createWork();
  let ticks = 0;
  const runs = createGateway({
    tick() {
      ticks += 1;
      tick.begin();
      return tick.ended;
    },
  });
  const fails = createGateway({ connect: () => tick.begun.then(() => refused) });
  // It would not measure for an hour.
  const late = createGateway({
    phase: 1,
    async tick() {
      ticks += 10;
    },
  });
  let hasEnded = false;
  const running = runFleet(context, [runs, late, fails], plan, createFleetStats()).finally(() => {
    hasEnded = true;
  });
  const failed = expect(running).rejects.toThrow("A gateway cannot register: Wrong code.");
  await tick.begun;
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  tick.end();
  await failed;
  expect(ticks).toBe(1);
});
