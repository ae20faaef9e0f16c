import type { UpdateReport } from "./machine/update-report.js";
import type { ReleaseOffer } from "./offer/release-offer.js";

/** The server cannot be reached or cannot respond now. */
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
      /** The offset in the image at which the body begins: the requested one, or 0. */
      readonly offset: number;
      /** A strong validator, or null. */
      readonly etag: string | null;
      /** Ends early or throws if the connection breaks or stalls. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "download_refused"; readonly code: string; readonly message: string }
  | Unavailable;

/** The updater's requests to the gateway. No method rejects. */
export interface UpdateNetwork {
  check(running: string): Promise<CheckAnswer>;
  open(request: {
    readonly offer: ReleaseOffer;
    readonly offset: number;
    readonly etag: string | null;
  }): Promise<OpenAnswer>;
  /** Sends a report. `refused` means that the server will never accept it. */
  report(report: UpdateReport): Promise<"delivered" | "refused" | "undelivered">;
}

/**
 * Stores one text across power cuts. The text has about 1 KB, or up to 12 KB if 32 reports with
 * messages of 200 characters wait. If it is lost, the running image must pass its self-test and is
 * confirmed at the next start, and failed images are forgotten.
 */
export interface UpdateStorage {
  load(): Promise<string | null>;
  /** Resolves when the text is durable. After a power cut, the storage has the old or the new text. */
  save(text: string): Promise<void>;
}

/** The flash partition that is not running. */
export interface FlashSlot {
  /** Bytes. */
  readonly capacity: number;
  /** Erases the slot for an image of `size` bytes. */
  begin(size: number): Promise<void>;
  /** Resolves when the bytes are durable. After a power cut, the same offset is written again. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The bootloader. The names in ESP-IDF are in brackets. */
export interface BootControl {
  /** Durably selects the slot for the next start, on trial (`esp_ota_set_boot_partition`). */
  install(offer: ReleaseOffer): Promise<void>;
  /** Restarts the device (`esp_restart`). It may never resolve. */
  reboot(): Promise<void>;
  /**
   * Confirms the running image (`esp_ota_mark_app_valid_cancel_rollback`). It also succeeds if there is
   * nothing to confirm, because the image is confirmed already or is the one from the factory.
   */
  confirm(): Promise<void>;
  /** Restarts into the former image (`esp_ota_mark_app_invalid_rollback_and_reboot`). */
  rollBack(): Promise<void>;
}

/** The time of the device. */
export interface UpdateClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What the updater needs from the device. */
export interface UpdatePorts {
  readonly network: UpdateNetwork;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
  readonly clock: UpdateClock;
  /** Returns a number from 0 to below 1. It spreads the retries of a fleet. */
  readonly random: () => number;
  /**
   * Tests whether the running image works. Rejects if it does not. It is called at the start of an image on trial, and
   * of one whose version is higher than each confirmed version.
   */
  readonly selfTest: () => Promise<void>;
}
