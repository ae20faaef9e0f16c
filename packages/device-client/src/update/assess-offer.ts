import { type DeviceFacts, judgeOffer } from "./judge-offer.js";
import type { ReleaseOffer } from "./release-offer.js";
import type { TrustedKeys } from "./trusted-keys.js";
import type { Refusal } from "./update-event.js";
import { verifyOffer } from "./verify-offer.js";

/** The first reason to refuse an offer; null when there is none. */
export type AssessOffer = (
  offer: ReleaseOffer,
  device: Omit<DeviceFacts, "targetHardware">,
) => Promise<Refusal | null>;

/** What a device with these keys thinks of offers: first of their fields, then of the signature. */
export const createAssessment =
  (targetHardware: string, keys: TrustedKeys): AssessOffer =>
  async (offer, device) => {
    const refusal = judgeOffer(offer, { ...device, targetHardware });
    if (refusal !== null) return refusal;
    const verdict = await verifyOffer(offer, keys);
    return verdict === "valid" ? null : verdict;
  };
