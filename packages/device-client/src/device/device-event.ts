import type { RejectedRecord } from "@device-gateway/core/contract";
import type { ClientError } from "../client-error.js";

/** A record that left the buffer. */
export type BufferedRecord = Readonly<Record<string, unknown>>;

/** Why records left the buffer without reaching the server. */
export type DropReason =
  /** The buffer was full. The oldest records are dropped. */
  | "full"
  /** A request with this record alone is too large for the server. */
  | "too_large"
  /** The server refused a request with this record alone. */
  | "refused";

/** What a device did on its own, for logs and tests. */
export type DeviceEvent =
  | { readonly kind: "registered" | "logged_in" }
  | { readonly kind: "retrying"; readonly error: ClientError; readonly waitMs: number }
  /** The server stored buffered records. It already had the duplicates. */
  | { readonly kind: "sent"; readonly accepted: number; readonly duplicates: number }
  | {
      readonly kind: "dropped";
      readonly reason: DropReason;
      readonly records: readonly BufferedRecord[];
    }
  /** The server rejected single records (§4). They are not sent again. */
  | {
      readonly kind: "rejected";
      readonly verdicts: readonly (RejectedRecord & { readonly record: BufferedRecord })[];
    };

/** Receives the events of a device. */
export type DeviceEventListener = (event: DeviceEvent) => void;
