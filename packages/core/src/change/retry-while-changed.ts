import { StoreUnavailableError } from "../ports/store-unavailable-error.js";

/** After this many runs, the client must retry. */
const maxRuns = 5;

/**
 * Runs a transition of a device with optimistic concurrency: until no other request has changed the device meanwhile. Each
 * run reads the device again and returns `changed` to ask for another run.
 * @throws {StoreUnavailableError} if five runs in a row return `changed`.
 */
export async function retryWhileChanged<Outcome>(
  deviceId: string,
  run: () => Promise<Outcome | "changed">,
): Promise<Outcome> {
  for (let runs = 0; runs < maxRuns; runs++) {
    const outcome = await run();
    if (outcome !== "changed") return outcome;
  }
  throw new StoreUnavailableError(`Other requests keep changing device ${deviceId}. Try again.`);
}
