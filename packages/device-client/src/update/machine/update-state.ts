import type { ReleaseOffer } from "../offer/release-offer.js";
import type { UpdateReport } from "./update-report.js";

/** The phase of an update. Only `transition` changes it. */
export type UpdatePhase =
  | { readonly kind: "idle" }
  | {
      readonly kind: "downloading";
      readonly offer: ReleaseOffer;
      /** Number of bytes of the image that are durable in the slot. */
      readonly offset: number;
      /** The strong ETag of the downloaded image. Null if the server sent none. */
      readonly etag: string | null;
      /** How often the download restarted because the image had changed. */
      readonly restarts: number;
      /** Number of consecutive connections without data. */
      readonly failures: number;
    }
  /** The whole image is in the slot, and the hash of the received bytes was correct. */
  | { readonly kind: "downloaded"; readonly offer: ReleaseOffer; readonly attempts: number }
  /** The slot was read back with the correct hash and may be activated. */
  | {
      readonly kind: "installing";
      readonly offer: ReleaseOffer;
      readonly from: string;
      readonly attempts: number;
    }
  /** The slot is active. With 0 boots, the device must restart. After that, the new image runs on trial. */
  | {
      readonly kind: "trial";
      readonly offer: ReleaseOffer;
      readonly from: string;
      readonly boots: number;
    }
  | {
      readonly kind: "rolling_back";
      readonly offer: ReleaseOffer;
      readonly from: string;
      readonly code: string;
      readonly message: string;
      readonly attempts: number;
    };

/** An image that failed on this device. It is not tried for a while, or never again. */
export interface Trouble {
  readonly sha256: string;
  readonly failures: number;
  /** Epoch milliseconds. Null: never again. */
  readonly retryAt: number | null;
}

/** Everything that the updater keeps across power cuts: one record, written completely or not at all. */
export interface UpdateState {
  readonly format: 1;
  /** The highest version that was ever confirmed. A lower one is never installed. */
  readonly floor: string;
  readonly phase: UpdatePhase;
  readonly troubles: readonly Trouble[];
  /** The last reported refusal, so that it is reported only once. */
  readonly refusal: string | null;
  /** Reports that the server has not acknowledged, oldest first. */
  readonly outbox: readonly UpdateReport[];
}

/** Returns the state of a device whose highest confirmed version is `floor`. */
export const initialState = (floor: string): UpdateState => ({
  format: 1,
  floor,
  phase: { kind: "idle" },
  troubles: [],
  refusal: null,
  outbox: [],
});
