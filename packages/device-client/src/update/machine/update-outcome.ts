import type { Refusal } from "./update-event.js";

/** How a run ended. */
export type UpdateOutcome =
  | { readonly kind: "up_to_date" }
  | { readonly kind: "refused"; readonly version: string; readonly code: Refusal }
  /** The image failed on this device. It is not tried until then (epoch milliseconds). Null: never again. */
  | { readonly kind: "held"; readonly version: string; readonly until: number | null }
  /** Run again, after `retryAfterSeconds` if the server gave it. Progress is kept. */
  | {
      readonly kind: "later";
      readonly message: string;
      readonly retryAfterSeconds?: number;
    }
  | {
      readonly kind: "failed";
      readonly version: string;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: "cancelled"; readonly version: string; readonly message: string }
  /** The device restarts into the new image or back into the old one. */
  | { readonly kind: "restarting"; readonly version: string };
