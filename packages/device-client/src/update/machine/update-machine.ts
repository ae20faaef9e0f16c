import type { ReleaseOffer } from "../offer/release-offer.js";
import type { UpdateOutcome } from "./update-outcome.js";
import type { UpdateState } from "./update-state.js";

/** The whole machine: the stored state, and what belongs to this run only. */
export interface UpdateMachine {
  readonly state: UpdateState;
  /** The version of the running image. */
  readonly running: string;
  /** Whether this run has asked the server. An update continues only if the server still offers it. */
  readonly checked: boolean;
  /** How the run ended. Null while it goes on. */
  readonly ended: UpdateOutcome | null;
}

/** The next action. Each effect may be repeated after a power cut. */
export type UpdateEffect =
  | { readonly kind: "check" }
  | {
      readonly kind: "download";
      readonly offer: ReleaseOffer;
      readonly offset: number;
      readonly etag: string | null;
      /** Number of consecutive connections without data. It determines the delay. */
      readonly failures: number;
    }
  | { readonly kind: "read_back"; readonly offer: ReleaseOffer }
  | { readonly kind: "install"; readonly offer: ReleaseOffer }
  | { readonly kind: "reboot" }
  | { readonly kind: "try_out" }
  | { readonly kind: "roll_back" };

/** Returns the next effect, or null if the run has ended. Pure. */
export function nextEffect({
  state: { phase },
  checked,
  ended,
}: UpdateMachine): UpdateEffect | null {
  if (ended !== null) return null;
  if (phase.kind === "trial") return { kind: phase.boots === 0 ? "reboot" : "try_out" };
  if (phase.kind === "rolling_back") return { kind: "roll_back" };
  if (!checked) return { kind: "check" };
  switch (phase.kind) {
    case "idle":
      return null;
    case "downloading": {
      const { offer, offset, etag, failures } = phase;
      return { kind: "download", offer, offset, etag, failures };
    }
    case "downloaded":
      return { kind: "read_back", offer: phase.offer };
    case "installing":
      return { kind: "install", offer: phase.offer };
  }
}
