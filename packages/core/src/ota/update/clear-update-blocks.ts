import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import type { OperatorAction } from "../../operator/operator-actions.js";
import type { Failure } from "../../shared/failure.js";

/** Clears the blocks of a device for an operator (§8), so that it is offered every release again. */
export async function clearUpdateBlocks(
  { store, deviceCache, clock }: GatewayContext,
  { deviceId, operator, origin }: OperatorAction,
): Promise<Result<void, Failure<"device_not_found">>> {
  const event = makeEvent({
    kind: "device.update_blocks_cleared",
    at: clock.now(),
    deviceId,
    actor: operator.id,
    origin,
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.updates.clearBlocks({ deviceId, event }),
  );
  return outcome.kind === "recorded" ? ok(undefined) : err({ code: "device_not_found" });
}
