import { setMaxListeners } from "node:events";
import { isTransient, type Sleep } from "../../retry.js";
import { systemSleep } from "../../system.js";
import { CliError, exitCodes } from "../command.js";
import { describeError } from "../server-url.js";
import type { VirtualGateway } from "./virtual-gateway.js";

/** Concurrent registrations. A server needs much memory to hash each claim code and queues only a few. */
const maxConcurrent = 16;
/** If no gateway can register for this long, the command fails. */
const timeoutMs = 180_000;

interface RegisterFleetOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onRegistered: (gateway: VirtualGateway) => void;
  /** Default: a timer. */
  readonly sleep?: Sleep;
}

/**
 * Registers a fleet as fast as the server allows. A gateway that must wait tries again, and the others
 * queue behind it.
 * @throws {CliError} if a gateway is rejected, or if none can register for three minutes. Then no registration is
 * pending.
 */
export async function registerFleet(
  fleet: readonly VirtualGateway[],
  { now, onRegistered, sleep = systemSleep }: RegisterFleetOptions,
): Promise<void> {
  const waiting = fleet.values();
  const failed = new AbortController();
  setMaxListeners(maxConcurrent, failed.signal);
  let lastAt = now();

  const register = async (gateway: VirtualGateway): Promise<void> => {
    while (!failed.signal.aborted) {
      const error = await gateway.connect();
      if (error === null) {
        lastAt = now();
        return onRegistered(gateway);
      }
      const sentence = `A gateway cannot register: ${describeError(error)}`;
      if (!isTransient(error)) throw new CliError(sentence);
      if (now() - lastAt >= timeoutMs) throw new CliError(sentence, exitCodes.unavailable);
      // `connect` returns at once if Retry-After is longer than its maximum delay.
      await sleep(Math.min(timeoutMs, (error.retryAfterSeconds ?? 0) * 1000), failed.signal);
    }
  };
  const work = async () => {
    for (const gateway of waiting) await register(gateway);
  };
  const workers = Array.from({ length: maxConcurrent }, work);
  try {
    await Promise.all(workers);
  } finally {
    // The other gateways stop. Otherwise their timers would keep the process alive.
    failed.abort();
    await Promise.allSettled(workers);
  }
}
