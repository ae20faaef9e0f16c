import { createFakeClock } from "@device-gateway/testing";
import { expect, test } from "vitest";
import type { ClientError } from "../../client-error.js";
import { CliError, exitCodes } from "../command.js";
import { registerFleet } from "./register-fleet.js";
import type { VirtualGateway } from "./virtual-gateway.js";

const busy = (retryAfterSeconds: number): ClientError => ({
  ...{ code: "too_many_requests", message: "Too many requests.", status: 429, retryAfterSeconds },
});

/** A gateway whose registrations end with these errors, and then with success. */
function createGateway(deviceId: string, ...errors: (ClientError | null)[]) {
  const connections: string[] = [];
  const gateway: Pick<VirtualGateway, "deviceId" | "connect"> = {
    deviceId,
    async connect() {
      connections.push(deviceId);
      return errors.shift() ?? null;
    },
  };
  return { gateway: gateway as VirtualGateway, connections };
}

function startClock() {
  const clock = createFakeClock();
  const pauses: number[] = [];
  return {
    pauses,
    now: clock.now,
    async sleep(ms: number) {
      pauses.push(ms);
      clock.advance(ms);
    },
  };
}

test("a gateway of a fleet does not register again before Retry-After", async () => {
  const { now, sleep, pauses } = startClock();
  const { gateway } = createGateway("gw-1", busy(90), busy(70));
  const registered: string[] = [];
  const onRegistered = ({ deviceId }: VirtualGateway) => registered.push(deviceId);
  await registerFleet([gateway], { now, sleep, onRegistered });
  expect(pauses).toEqual([90_000, 70_000]);
  expect(registered).toEqual(["gw-1"]);
});

test("a fleet that cannot register fails after three minutes, even if Retry-After is longer", async () => {
  const { now, sleep, pauses } = startClock();
  const { gateway, connections } = createGateway("gw-1", busy(3_600), busy(3_600), busy(3_600));
  const registering = registerFleet([gateway], { now, sleep, onRegistered: () => {} });
  const error: unknown = await registering.catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(CliError);
  expect((error as CliError).exitCode).toBe(exitCodes.unavailable);
  expect(pauses).toEqual([180_000]);
  expect(connections).toHaveLength(2);
});

test("a rejected gateway ends the pauses of the other gateways", async () => {
  const { now } = startClock();
  const waits = createGateway("gw-1", busy(90));
  const refused: ClientError = { code: "invalid_credentials", message: "Wrong.", status: 401 };
  const fails = createGateway("gw-2", refused);
  const signals: (AbortSignal | undefined)[] = [];
  const sleep = (_: number, signal?: AbortSignal) => {
    signals.push(signal);
    return new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  };
  const fleet = [waits.gateway, fails.gateway];
  const registering = registerFleet(fleet, { now, sleep, onRegistered: () => {} });
  await expect(registering).rejects.toThrow("Wrong.");
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  expect(waits.connections).toHaveLength(1);
});

test("a fleet fails only after every registration has ended", async () => {
  const { now, sleep } = startClock();
  let answer = () => {};
  const answered = new Promise<null>((resolve) => {
    answer = () => resolve(null);
  });
  const slow = { deviceId: "gw-1", connect: () => answered } as VirtualGateway;
  const refused: ClientError = { code: "invalid_credentials", message: "Wrong.", status: 401 };
  const fails = createGateway("gw-2", refused).gateway;
  const registered: string[] = [];
  const onRegistered = ({ deviceId }: VirtualGateway) => registered.push(deviceId);
  let hasEnded = false;
  const registering = registerFleet([slow, fails], { now, sleep, onRegistered }).finally(() => {
    hasEnded = true;
  });
  const failed = expect(registering).rejects.toThrow("Wrong.");
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  answer();
  await failed;
  expect(registered).toEqual(["gw-1"]);
});
