import type { OfferRefusal } from "../offer/judge-offer.js";
import type { ReleaseOffer } from "../offer/release-offer.js";
import type { SignatureVerdict } from "../offer/verify-offer.js";

export type Refusal = OfferRefusal | Exclude<SignatureVerdict, "valid">;

/** The result of an effect. Events are the only input of the state machine. */
export type UpdateEvent =
  /** The device has started. `running` is the version of the running image. */
  | { readonly kind: "booted"; readonly running: string }
  | { readonly kind: "offered"; readonly offer: ReleaseOffer; readonly refusal: Refusal | null }
  | { readonly kind: "not_offered" }
  /** The server could not be reached or cannot respond now. It does not count as a failure. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly retryAfterSeconds?: number;
    }
  /** The download begins at this byte. */
  | { readonly kind: "opened"; readonly offset: number; readonly etag: string | null }
  /** The slot durably has `offset` bytes. */
  | { readonly kind: "wrote"; readonly offset: number }
  | { readonly kind: "interrupted"; readonly message: string }
  /** The server no longer serves this image. */
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "download_refused"; readonly code: string; readonly message: string }
  | { readonly kind: "flash_failed"; readonly message: string }
  /** The download is complete. `sha256` is the hash of the received bytes. */
  | { readonly kind: "received"; readonly sha256: string }
  /** `sha256` is the hash of the slot's content. */
  | { readonly kind: "read_back"; readonly sha256: string }
  | { readonly kind: "activated" }
  | { readonly kind: "install_failed"; readonly message: string }
  | { readonly kind: "reboot_requested" }
  | { readonly kind: "confirmed" }
  | { readonly kind: "self_test_failed"; readonly message: string }
  | { readonly kind: "rollback_requested" };
