import type { ReleaseOffer } from "./release-offer.js";
import type { UpdateReport } from "./update-report.js";

/** The server can't be reached, or can't answer now. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export type CheckAnswer =
  | { readonly kind: "offered"; readonly offer: ReleaseOffer }
  | { readonly kind: "not_offered" }
  | Unavailable;

export type OpenAnswer =
  | {
      readonly kind: "opened";
      /** The byte of the image that the body begins with: the one asked for, or 0. */
      readonly offset: number;
      /** A strong validator; null without one. */
      readonly etag: string | null;
      /** Ends early, or throws, when the connection breaks or stands still. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "download_refused"; readonly code: string; readonly message: string }
  | Unavailable;

/** The gateway, as the updater sees it. Nothing here rejects. */
export interface UpdateNetwork {
  check(running: string): Promise<CheckAnswer>;
  open(request: {
    readonly offer: ReleaseOffer;
    readonly offset: number;
    readonly etag: string | null;
  }): Promise<OpenAnswer>;
  /** `refused`: the server will never take it. */
  report(report: UpdateReport): Promise<"delivered" | "refused" | "undelivered">;
}

/**
 * Where a text survives a power cut: about 1 KB, and some 12 KB when 32 reports wait with messages of
 * 200 characters.
 */
export interface UpdateStorage {
  load(): Promise<string | null>;
  /** Resolves when it is durable. After a power cut there is the old text or the new one. */
  save(text: string): Promise<void>;
}

/** The flash partition that does not run. */
export interface FlashSlot {
  /** In bytes. */
  readonly capacity: number;
  /** Makes room for an image of so many bytes: what is there is lost. */
  begin(size: number): Promise<void>;
  /** Resolves when the bytes are durable. After a power cut the same place is written again. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** What the bootloader does. ESP-IDF's names stand behind. */
export interface BootControl {
  /** Makes the slot the one to start next, on trial; durable (`esp_ota_set_boot_partition`). */
  install(offer: ReleaseOffer): Promise<void>;
  /** Restarts the device (`esp_restart`). It need not come back. */
  reboot(): Promise<void>;
  /** Keeps the image that runs (`esp_ota_mark_app_valid_cancel_rollback`). */
  confirm(): Promise<void>;
  /** Restarts into the former image (`esp_ota_mark_app_invalid_rollback_and_reboot`). */
  rollBack(): Promise<void>;
}

export interface UpdateClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, and at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface UpdatePorts {
  readonly network: UpdateNetwork;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
  readonly clock: UpdateClock;
  /** Below 1, at least 0: spreads a fleet's retries. */
  readonly random: () => number;
  /** Whether the new image does its work, as far as the device can tell. Rejects if not. */
  readonly selfTest: () => Promise<void>;
}
