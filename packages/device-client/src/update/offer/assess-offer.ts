import type { Refusal } from "../machine/update-event.js";
import { type DeviceFacts, judgeOffer } from "./judge-offer.js";
import type { ReleaseOffer } from "./release-offer.js";
import type { TrustedKeys } from "./trusted-keys.js";
import { verifyOffer } from "./verify-offer.js";

/** Returns the first reason to refuse an offer, or null if there is none. */
export type AssessOffer = (
  offer: ReleaseOffer,
  device: Omit<DeviceFacts, "targetHardware">,
) => Promise<Refusal | null>;

/** Creates the check of offers for this hardware and these keys: first the fields, then the signature. */
export const createAssessment =
  (targetHardware: string, keys: TrustedKeys): AssessOffer =>
  async (offer, device) => {
    const refusal = judgeOffer(offer, { ...device, targetHardware });
    if (refusal !== null) return refusal;
    const verdict = await verifyOffer(offer, keys);
    return verdict === "valid" ? null : verdict;
  };
