import type { ReleaseOffer } from "../offer/release-offer.js";
import { isVersion } from "../offer/version.js";
import {
  cancelUpdate,
  changeState,
  enterPhase,
  failUpdate,
  queueReport,
} from "./machine-changes.js";
import { findBlockingTrouble } from "./trouble.js";
import type { Refusal, UpdateEvent } from "./update-event.js";
import type { UpdateMachine } from "./update-machine.js";

/** Number of consecutive power cuts between reading the slot back and activating it. */
const maxInstalls = 3;

const isSame = (a: ReleaseOffer, b: ReleaseOffer) =>
  a.sha256 === b.sha256 &&
  a.size === b.size &&
  a.version === b.version &&
  a.targetHardware === b.targetHardware &&
  a.releasedAt === b.releasedAt;

/** Refuses an offer and reports that once. The current update continues, so a forged offer cannot stop it. */
function refuseOffer(machine: UpdateMachine, offer: ReleaseOffer, code: Refusal, now: number) {
  const version = isVersion(offer.version) ? offer.version : machine.running;
  const refusal = `${code} ${version} ${offer.sha256.slice(0, 64)}`;
  const ended = { ...machine, ended: { kind: "refused", version, code } } as const;
  if (refusal === machine.state.refusal) return ended;
  return changeState(queueReport(ended, now, { state: "rejected", version, code }), { refusal });
}

/** Continues the current update, which is still offered. */
function continueUpdate(machine: UpdateMachine, offer: ReleaseOffer, now: number): UpdateMachine {
  const { phase } = machine.state;
  if (phase.kind === "downloading" || phase.kind === "downloaded") {
    return enterPhase(machine, { ...phase, offer });
  }
  if (phase.kind !== "installing") return machine;
  const attempts = phase.attempts + 1;
  if (attempts < maxInstalls) return enterPhase(machine, { kind: "downloaded", offer, attempts });
  const message = `The activation was interrupted ${attempts} times.`;
  return failUpdate(machine, now, offer, { code: "install_failed", message });
}

/** Starts, continues or refuses the offered update. */
export function onOffered(
  before: UpdateMachine,
  { offer, refusal }: Extract<UpdateEvent, { kind: "offered" }>,
  now: number,
): UpdateMachine {
  if (refusal !== null) return refuseOffer(before, offer, refusal, now);
  const machine = changeState({ ...before, checked: true }, { refusal: null });
  const { phase, troubles } = machine.state;
  const { version } = offer;
  if (phase.kind !== "idle" && isSame(phase.offer, offer))
    return continueUpdate(machine, offer, now);
  const idle = cancelUpdate(machine, now, `The server offers ${version} instead.`);
  const trouble = findBlockingTrouble(troubles, offer.sha256, now);
  if (trouble !== undefined) {
    return { ...idle, ended: { kind: "held", version, until: trouble.retryAt } };
  }
  return enterPhase(queueReport(idle, now, { state: "downloading", version, progress: 0 }), {
    kind: "downloading",
    offer,
    offset: 0,
    etag: null,
    restarts: 0,
    failures: 0,
  });
}
