import { isTransient } from "../../retry.js";
import { CliError, exitCodes } from "../command.js";
import { describeError } from "../server-url.js";
import type { VirtualGateway } from "./virtual-gateway.js";

/** Concurrent registrations. A server needs much memory to hash each claim code and queues only a few. */
const maxConcurrent = 16;
/** If no gateway can register for this long, the command fails. */
const timeoutMs = 180_000;

/**
 * Registers a fleet as fast as the server allows. A gateway that must wait tries again, and the others
 * queue behind it.
 * @throws {CliError} if a gateway is rejected, or if none can register for three minutes.
 */
export async function registerFleet(
  fleet: readonly VirtualGateway[],
  { now, onRegistered }: { now: () => number; onRegistered: (gateway: VirtualGateway) => void },
): Promise<void> {
  const waiting = fleet.values();
  let lastAt = now();

  const register = async (gateway: VirtualGateway): Promise<void> => {
    for (;;) {
      const error = await gateway.connect();
      if (error === null) break;
      const sentence = `A gateway cannot register: ${describeError(error)}`;
      if (!isTransient(error)) throw new CliError(sentence);
      if (now() - lastAt > timeoutMs) throw new CliError(sentence, exitCodes.unavailable);
    }
    lastAt = now();
    onRegistered(gateway);
  };
  const work = async () => {
    for (const gateway of waiting) await register(gateway);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
}
