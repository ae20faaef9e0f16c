import type { OfferRefusal } from "./judge-offer.js";
import type { ReleaseOffer } from "./release-offer.js";
import type { SignatureVerdict } from "./verify-offer.js";

export type Refusal = OfferRefusal | Exclude<SignatureVerdict, "valid">;

/** What an effect brought about: all that the state machine ever learns. */
export type UpdateEvent =
  /** The device has started; `running` is the version of the image that runs. */
  | { readonly kind: "booted"; readonly running: string }
  | { readonly kind: "offered"; readonly offer: ReleaseOffer; readonly refusal: Refusal | null }
  | { readonly kind: "not_offered" }
  /** The server could not be reached, or can't answer now. Nobody's fault. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly retryAfterSeconds?: number;
    }
  /** The download begins at this byte. */
  | { readonly kind: "opened"; readonly offset: number; readonly etag: string | null }
  /** So many bytes are safely in the slot. */
  | { readonly kind: "wrote"; readonly offset: number }
  | { readonly kind: "interrupted"; readonly message: string }
  /** The server no longer gives this image. */
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "download_refused"; readonly code: string; readonly message: string }
  | { readonly kind: "flash_failed"; readonly message: string }
  /** All bytes came in; their hash. */
  | { readonly kind: "received"; readonly sha256: string }
  /** The hash of what the slot holds. */
  | { readonly kind: "read_back"; readonly sha256: string }
  | { readonly kind: "activated" }
  | { readonly kind: "install_failed"; readonly message: string }
  | { readonly kind: "reboot_requested" }
  | { readonly kind: "confirmed" }
  | { readonly kind: "self_test_failed"; readonly message: string }
  | { readonly kind: "rollback_requested" };
