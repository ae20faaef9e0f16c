import { isPassing } from "../../retry.js";
import { CliError, exitCodes } from "../command.js";
import { sentenceOf } from "../server-url.js";
import type { VirtualGateway } from "./virtual-gateway.js";

/** Registrations under way at a time: a server hashes each claim code with much memory, and queues few. */
const atATime = 16;
/** How long no gateway gets in before that is taken for an answer. */
const patienceMs = 180_000;

/**
 * Registers a fleet as fast as the server lets it: one that is asked to wait does so and comes again,
 * and the others wait behind it. @throws {CliError} when nobody gets in any more, or one is refused.
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
      const sentence = `A gateway can't register: ${sentenceOf(error)}`;
      if (!isPassing(error)) throw new CliError(sentence);
      if (now() - lastAt > patienceMs) throw new CliError(sentence, exitCodes.unavailable);
    }
    lastAt = now();
    onRegistered(gateway);
  };
  const work = async () => {
    for (const gateway of waiting) await register(gateway);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}
