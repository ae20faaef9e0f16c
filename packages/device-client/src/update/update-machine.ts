import type { ReleaseOffer } from "./release-offer.js";
import type { UpdateOutcome } from "./update-outcome.js";
import type { UpdateState } from "./update-state.js";

/** The whole machine: what is remembered, and what only this run knows. */
export interface UpdateMachine {
  readonly state: UpdateState;
  /** The version of the image that runs. */
  readonly running: string;
  /** Whether the server was asked in this run: nothing goes on unless it still offers it. */
  readonly checked: boolean;
  /** How the run ended; null while it goes on. */
  readonly ended: UpdateOutcome | null;
}

/** What the machine wants done next. Each may be done again after a power cut. */
export type UpdateEffect =
  | { readonly kind: "check" }
  | {
      readonly kind: "download";
      readonly offer: ReleaseOffer;
      readonly offset: number;
      readonly etag: string | null;
      /** Connections in a row that brought nothing: the more, the longer it waits. */
      readonly failures: number;
    }
  | { readonly kind: "read_back"; readonly offer: ReleaseOffer }
  | { readonly kind: "install"; readonly offer: ReleaseOffer }
  | { readonly kind: "reboot" }
  | { readonly kind: "try_out" }
  | { readonly kind: "roll_back" };

/** What to do next; null when the run has ended. Pure. */
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
