import type { GatewayContext } from "../context.js";

/**
 * Runs a patch when all earlier patches of the same target have run in this process. Runs it again as long as it returns
 * `changed`: another process has changed the target meanwhile.
 *
 * @param checkDeadline Throws if nobody waits for the outcome any more. Then the patch does not run again.
 */
export function patchInTurn<Outcome>(
  { patchesInTurn }: Pick<GatewayContext, "patchesInTurn">,
  target: string,
  checkDeadline: () => void,
  run: () => Promise<Outcome | "changed">,
): Promise<Outcome> {
  return patchesInTurn(target, async () => {
    for (;;) {
      checkDeadline();
      const outcome = await run();
      if (outcome !== "changed") return outcome;
    }
  });
}
