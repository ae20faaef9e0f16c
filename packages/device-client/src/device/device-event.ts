import type { RejectedRecord } from "@device-gateway/core/contract";
import type { ClientError } from "../client-error.js";

/** A record as it left the buffer. */
export type BufferedRecord = Readonly<Record<string, unknown>>;

/** Why records left the buffer without reaching the server. */
export type DropReason =
  /** The buffer was full, and these were the oldest. */
  | "full"
  /** The server does not take a request of that size, even with this record alone. */
  | "too_large"
  /** The server refuses a request with this record alone. */
  | "refused";

/** What a device did on its own, for logs and tests. */
export type DeviceEvent =
  | { readonly kind: "registered" | "logged_in" }
  | { readonly kind: "retrying"; readonly error: ClientError; readonly waitMs: number }
  /** Buffered records are with the server; it had the duplicates already. */
  | { readonly kind: "sent"; readonly accepted: number; readonly duplicates: number }
  | {
      readonly kind: "dropped";
      readonly reason: DropReason;
      readonly records: readonly BufferedRecord[];
    }
  /** The server's verdict on single records; they are not sent again. */
  | {
      readonly kind: "rejected";
      readonly verdicts: readonly (RejectedRecord & { readonly record: BufferedRecord })[];
    };

export type Tell = (event: DeviceEvent) => void;
