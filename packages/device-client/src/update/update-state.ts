import type { ReleaseOffer } from "./release-offer.js";
import type { UpdateReport } from "./update-report.js";

/** Where an update stands. Each is left only by an event of `transition`. */
export type UpdatePhase =
  | { readonly kind: "idle" }
  | {
      readonly kind: "downloading";
      readonly offer: ReleaseOffer;
      /** Bytes of the image that are safely in the slot. */
      readonly offset: number;
      /** Of the image that they came from; null when the server gave none to rely on. */
      readonly etag: string | null;
      /** How often it began anew because the image was another one. */
      readonly restarts: number;
      /** Connections in a row that brought nothing. */
      readonly failures: number;
    }
  /** The whole image is in the slot, and its hash was right when it came. */
  | { readonly kind: "downloaded"; readonly offer: ReleaseOffer; readonly attempts: number }
  /** The slot was read back and is right: it may be activated. */
  | {
      readonly kind: "installing";
      readonly offer: ReleaseOffer;
      readonly from: string;
      readonly attempts: number;
    }
  /** The slot is active. After no boot yet: restart. After one or more: the new image runs, on trial. */
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

/** An image that failed here. It is left alone for a while, or for good. */
export interface Trouble {
  readonly sha256: string;
  readonly failures: number;
  /** Epoch milliseconds; null: never again. */
  readonly retryAt: number | null;
}

/** All that the updater remembers over a power cut: one record, written whole or not at all. */
export interface UpdateState {
  readonly format: 1;
  /** The highest version that was ever confirmed: nothing lower is ever taken. */
  readonly floor: string;
  readonly phase: UpdatePhase;
  readonly troubles: readonly Trouble[];
  /** The last refusal that was reported, so that it is reported once. */
  readonly refusal: string | null;
  /** Reports that the server has not acknowledged yet, oldest first. */
  readonly outbox: readonly UpdateReport[];
}

export const initialState = (running: string): UpdateState => ({
  format: 1,
  floor: running,
  phase: { kind: "idle" },
  troubles: [],
  refusal: null,
  outbox: [],
});
