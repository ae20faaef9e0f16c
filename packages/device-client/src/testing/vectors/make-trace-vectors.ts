import { transition } from "../../update/machine/transition.js";
import type { UpdateEvent } from "../../update/machine/update-event.js";
import { nextEffect, type UpdateMachine } from "../../update/machine/update-machine.js";
import { initialState, type UpdateState } from "../../update/machine/update-state.js";
import type { ReleaseOffer } from "../../update/offer/release-offer.js";

/** The part of the machine that a step shows. It has only the new reports. */
interface After extends Omit<UpdateState, "format" | "outbox"> {
  readonly reports: UpdateState["outbox"];
  readonly checked: boolean;
  readonly ended: UpdateMachine["ended"];
  /** The next effect. Null if the run has ended. */
  readonly effect: string | null;
}

export interface TraceStep {
  readonly event: UpdateEvent;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly after: After;
}

export interface Trace {
  readonly name: string;
  readonly steps: readonly TraceStep[];
}

/** The start of every trace: a device that was never updated. */
export const traceStart: UpdateMachine = {
  state: initialState("1.0.0"),
  running: "1.0.0",
  checked: false,
  ended: null,
};

export function describeStep(before: UpdateMachine, machine: UpdateMachine): After {
  const { state, checked, ended } = machine;
  const { format: _, outbox, ...rest } = state;
  const reports = outbox.slice(before.state.outbox.length);
  return { ...rest, reports, checked, ended, effect: nextEffect(machine)?.kind ?? null };
}

const sha256 = "ab".repeat(32);
const offer: ReleaseOffer = {
  version: "1.4.0",
  targetHardware: "esp32dev",
  releasedAt: "2026-01-31T12:00:00Z",
  sha256,
  signature: "c2lnbmF0dXJl",
  signingKeyId: "release-2026",
  signatureAlgorithm: "ecdsa-p256-sha256",
  size: 200_000,
  downloadUrl: "https://gateway.example.com/api/v1/ota/firmware/1",
};
const boot = (running: string): UpdateEvent => ({ kind: "booted", running });
const offered = (change: Partial<ReleaseOffer> = {}): UpdateEvent => ({
  kind: "offered",
  offer: { ...offer, ...change },
  refusal: null,
});
const opened = (offset: number, etag = '"a"'): UpdateEvent => ({ kind: "opened", offset, etag });
const wrote = (offset: number): UpdateEvent => ({ kind: "wrote", offset });
const cut: UpdateEvent = { kind: "interrupted", message: "The cable was pulled." };
const received: UpdateEvent = { kind: "received", sha256 };
const readBack: UpdateEvent = { kind: "read_back", sha256 };

const start = [boot("1.0.0"), offered()];
const downloaded = [...start, opened(0), wrote(65_536), wrote(131_072), wrote(200_000), received];
const activated = [...downloaded, readBack, { kind: "activated" } as const];
const restarted = [...activated, { kind: "reboot_requested" } as const];
const onTrial = [...restarted, boot("1.4.0")];
const failed: UpdateEvent = { kind: "self_test_failed", message: "No sensor." };
const rollBack: UpdateEvent = { kind: "rollback_requested" };

const scripts: Readonly<Record<string, readonly UpdateEvent[]>> = {
  "nothing is offered": [boot("1.0.0"), { kind: "not_offered" }],
  "a successful update": [...onTrial, { kind: "confirmed" }, { kind: "not_offered" }],
  "a refused offer": [
    boot("1.0.0"),
    { kind: "offered", offer, refusal: "invalid_signature" },
    boot("1.0.0"),
    { kind: "offered", offer, refusal: "invalid_signature" },
  ],
  "the server is unavailable": [
    boot("1.0.0"),
    { kind: "unavailable", message: "HTTP 503", retryAfterSeconds: 30 },
  ],
  "an interrupted download resumes after a restart": [
    ...start,
    opened(0),
    wrote(65_536),
    cut,
    opened(65_536),
    wrote(131_072),
    boot("1.0.0"),
    offered({ downloadUrl: "https://gateway.example.com/api/v1/ota/firmware/2" }),
    opened(131_072),
    wrote(200_000),
    received,
  ],
  "a download fails after five connections without data": [
    ...start,
    ...Array.from({ length: 5 }, () => [opened(0), cut]).flat(),
    boot("1.0.0"),
    offered(),
  ],
  "an image that keeps changing": [
    ...start,
    ...["b", "c", "d", "e"].flatMap((etag) => [wrote(65_536), opened(0, `"${etag}"`)]),
  ],
  "a wrong image": [...downloaded.slice(0, -1), { kind: "received", sha256: "cd".repeat(32) }],
  "the image is gone": [...start, { kind: "gone", message: "HTTP 404" }],
  "the download is refused": [
    ...start,
    { kind: "download_refused", code: "wrong_length", message: "Content-Length is 5." },
  ],
  "the flash fails": [...start, opened(0), { kind: "flash_failed", message: "Bad sector." }],
  "the offer is withdrawn": [...start, opened(0), boot("1.0.0"), { kind: "not_offered" }],
  "another offer replaces it": [
    ...downloaded,
    boot("1.0.0"),
    offered({ version: "1.4.1", sha256: "cd".repeat(32) }),
  ],
  "a forged offer does not stop the update": [
    ...start,
    opened(0),
    wrote(65_536),
    boot("1.0.0"),
    { kind: "offered", offer: { ...offer, version: "1.5.0" }, refusal: "invalid_signature" },
    boot("1.0.0"),
    offered(),
  ],
  "the slot differs from what was written": [
    ...downloaded,
    { kind: "read_back", sha256: "cd".repeat(32) },
  ],
  "the slot cannot be activated": [
    ...downloaded,
    readBack,
    { kind: "install_failed", message: "Locked." },
  ],
  "a power cut before the slot is active": [...downloaded, readBack, boot("1.0.0"), offered()],
  "a power cut after the slot is active, before the state is saved": [
    ...downloaded,
    readBack,
    boot("1.4.0"),
    { kind: "confirmed" },
  ],
  "power cuts at each activation": [
    ...downloaded,
    ...Array.from({ length: 3 }, () => [readBack, boot("1.0.0"), offered()]).flat(),
  ],
  "a power cut before the restart": [...activated, boot("1.4.0"), { kind: "confirmed" }],
  "a failed self-test": [...onTrial, failed, rollBack, boot("1.0.0"), offered()],
  "the bootloader rolls back": [...restarted, boot("1.0.0"), offered()],
  "an image that reports another version": [...restarted, boot("1.3.0"), rollBack, boot("1.0.0")],
  "an image that never confirms itself": [
    ...restarted,
    ...Array.from({ length: 4 }, () => boot("1.4.0")),
    rollBack,
    boot("1.0.0"),
  ],
  "a roll-back that fails": [
    ...onTrial,
    failed,
    ...Array.from({ length: 4 }, () => [rollBack, boot("1.4.0")])
      .flat()
      .slice(0, 6),
  ],
  "a later image was flashed by cable": [boot("1.2.0"), { kind: "not_offered" }],
};

const startedAt = Date.UTC(2026, 1, 1);
const betweenEventsMs = 1_000;

function runTrace(name: string, events: readonly UpdateEvent[]): Trace {
  let machine = traceStart;
  const steps = events.map((event, place): TraceStep => {
    const now = startedAt + place * betweenEventsMs;
    const before = machine;
    machine = transition(before, event, now);
    return { event, now, after: describeStep(before, machine) };
  });
  return { name, steps };
}

/** Runs the state machine over sequences of events. Offers are listed once and referenced by name. */
export function makeTraceVectors() {
  const offers = new Map<string, string>();
  const name = (text: string) => {
    const known = offers.get(text) ?? String.fromCharCode("A".charCodeAt(0) + offers.size);
    offers.set(text, known);
    return known;
  };
  const traces = Object.entries(scripts).map(([title, events]) => runTrace(title, events));
  const named = JSON.parse(JSON.stringify(traces), (key, value: unknown) =>
    key === "offer" ? name(JSON.stringify(value)) : value,
  ) as unknown;
  return {
    about:
      "Each step has an event and the machine after it. `reports` lists only the reports that the step adds. A `booted` event starts from the stored state alone, as after a power cut. Every trace starts with a device that runs 1.0.0 and was never updated.",
    offers: Object.fromEntries(
      [...offers].map(([text, letter]) => [letter, JSON.parse(text) as ReleaseOffer]),
    ),
    traces: named,
  };
}
