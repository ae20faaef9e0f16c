import { cancel, enter, fail, remember, tell } from "./machine-moves.js";
import type { ReleaseOffer } from "./release-offer.js";
import { holdingTrouble } from "./trouble.js";
import type { Refusal, UpdateEvent } from "./update-event.js";
import type { UpdateMachine } from "./update-machine.js";
import { isVersion } from "./version.js";

/** Power cuts between reading the slot back and activating it, in a row. */
const mostInstalls = 3;

const isSame = (a: ReleaseOffer, b: ReleaseOffer) =>
  a.sha256 === b.sha256 &&
  a.size === b.size &&
  a.version === b.version &&
  a.targetHardware === b.targetHardware &&
  a.releasedAt === b.releasedAt;

/** Leaves an offer, and says so once. What is under way stays: a forged offer can't end it. */
function refuse(machine: UpdateMachine, offer: ReleaseOffer, code: Refusal, now: number) {
  const version = isVersion(offer.version) ? offer.version : machine.running;
  const refusal = `${code} ${version} ${offer.sha256.slice(0, 64)}`;
  const ended = { ...machine, ended: { kind: "refused", version, code } } as const;
  if (refusal === machine.state.refusal) return ended;
  return remember(tell(ended, now, { state: "rejected", version, code }), { refusal });
}

/** Goes on with what is under way: it is still offered. */
function goOn(machine: UpdateMachine, offer: ReleaseOffer, now: number): UpdateMachine {
  const { phase } = machine.state;
  if (phase.kind === "downloading" || phase.kind === "downloaded") {
    return enter(machine, { ...phase, offer });
  }
  if (phase.kind !== "installing") return machine;
  const attempts = phase.attempts + 1;
  if (attempts < mostInstalls) return enter(machine, { kind: "downloaded", offer, attempts });
  const message = `Activating it was cut short ${attempts} times.`;
  return fail(machine, now, offer, { code: "install_failed", message });
}

/** Takes an offer up, goes on with it, or leaves it. */
export function onOffered(
  before: UpdateMachine,
  { offer, refusal }: Extract<UpdateEvent, { kind: "offered" }>,
  now: number,
): UpdateMachine {
  if (refusal !== null) return refuse(before, offer, refusal, now);
  const machine = remember({ ...before, checked: true }, { refusal: null });
  const { phase, troubles } = machine.state;
  const { version } = offer;
  if (phase.kind !== "idle" && isSame(phase.offer, offer)) return goOn(machine, offer, now);
  const idle = cancel(machine, now, `${version} is offered in its place.`);
  const trouble = holdingTrouble(troubles, offer.sha256, now);
  if (trouble !== undefined) {
    return { ...idle, ended: { kind: "held", version, until: trouble.retryAt } };
  }
  return enter(tell(idle, now, { state: "downloading", version, progress: 0 }), {
    kind: "downloading",
    offer,
    offset: 0,
    etag: null,
    restarts: 0,
    failures: 0,
  });
}
