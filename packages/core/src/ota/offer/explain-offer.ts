import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { OfferExplanation } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { toTimestamp } from "../../shared/timestamp.js";
import { releasesFor, toOfferFacts } from "./current-offer.js";
import { decideOffer } from "./decide-offer.js";
import { type OfferReason, offerReasons } from "./offer-reason.js";

const toReason = ({ code, until }: OfferReason) => ({
  code,
  message: offerReasons[code],
  ...(until !== undefined && { until: toTimestamp(until) }),
});

/** Explains whether a device is offered a release, from what is stored now (§8). */
export async function explainOffer(
  context: GatewayContext,
  { releaseId, deviceId }: { readonly releaseId: number; readonly deviceId: string },
): Promise<Result<OfferExplanation, Failure<"release_not_found" | "device_not_found">>> {
  const { store } = context;
  const [release, device, active, updates] = await Promise.all([
    store.releases.find(releaseId),
    store.devices.find(deviceId),
    store.releases.offerable(),
    store.updates.list(deviceId),
  ]);
  if (release === null) return err({ code: "release_not_found" });
  if (device === null) return err({ code: "device_not_found" });
  const candidates = releasesFor(active, device.profile.targetHardware);
  const decision = decideOffer(release, candidates, toOfferFacts(context, device));
  const update = updates.find((candidate) => candidate.releaseId === releaseId);
  return ok({
    deviceId,
    releaseId,
    offered: decision.offered,
    reasons: decision.offered ? [] : decision.reasons.map(toReason),
    update:
      update === undefined
        ? null
        : {
            state: update.state,
            offeredAt: toTimestamp(update.offeredAt),
            updatedAt: toTimestamp(update.updatedAt),
            failures: update.failures,
          },
  });
}
