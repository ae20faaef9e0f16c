import type { ReleaseOffer } from "../../update/release-offer.js";
import type { Refusal } from "../../update/update-event.js";
import { derOf, integerBytes, order, otherS, readNumbers } from "./der.js";
import { ed25519Key, linesOf, p256Key, type VectorKey } from "./vector-key.js";

export interface OfferCase {
  readonly name: string;
  readonly offer: ReleaseOffer;
  readonly expected: Refusal | "taken";
}

const device = {
  targetHardware: "esp32dev",
  running: "1.3.9",
  floor: "1.3.10",
  capacity: 1_310_720,
};
const pinned = p256Key("release-2026");
const edwards = ed25519Key("release-ed25519");
const stranger = p256Key("a-stranger");

const facts = {
  version: "1.4.0",
  targetHardware: device.targetHardware,
  releasedAt: "2026-01-31T12:00:00Z",
  sha256: "3f9c1d5c7d6c1ad1bb7e3c8fd6a2a4b5d0f6e8c7b9a1928374655647382910ab",
};
type Facts = typeof facts;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** An offer of these facts, signed over `text`: their four lines, unless it is said otherwise. */
function offerOf(
  change: Partial<Facts> = {},
  key: VectorKey = pinned,
  text?: string,
): ReleaseOffer {
  const signed = { ...facts, ...change };
  return {
    ...signed,
    signature: base64(key.sign(text ?? linesOf(signed))),
    signingKeyId: key.id,
    signatureAlgorithm: key.algorithm,
    size: 1_048_576,
    downloadUrl: "https://gateway.example.com/api/v1/ota/firmware/1",
  };
}

const good = offerOf();
const numbers = readNumbers(pinned.sign(linesOf(facts)));
const [r, s] = [integerBytes(numbers.r), integerBytes(numbers.s)];
const withSignature = (signature: string): ReleaseOffer => ({ ...good, signature });
const withDer = (der: Uint8Array) => withSignature(base64(der));
const high = otherS(numbers);
const raw = Uint8Array.from(
  [numbers.r, numbers.s].flatMap((n) => [...Buffer.from(n.toString(16).padStart(64, "0"), "hex")]),
);
const der = derOf(r, s);
const zero: readonly number[] = [0];

const taken: Readonly<Record<string, ReleaseOffer>> = {
  "signed with ECDSA over P-256": good,
  "signed with Ed25519": offerOf({}, edwards),
  "a high s: half of what OpenSSL signs": withDer(derOf(r, integerBytes(high.s))),
  "the floor itself": offerOf({ version: "1.3.10" }),
  "a time with milliseconds and an offset": offerOf({
    releasedAt: "2026-01-31T13:00:00.000+01:00",
  }),
};

const invalid: Readonly<Record<string, ReleaseOffer>> = {
  "the version of another release": { ...good, version: "1.4.1" },
  "the time of another release": { ...good, releasedAt: "2026-02-01T12:00:00Z" },
  "the same time, written otherwise": { ...good, releasedAt: "2026-01-31T12:00:00.000Z" },
  "the hash of another image": { ...good, sha256: `0${facts.sha256.slice(1)}` },
  "a signature of another release": withSignature(offerOf({ version: "1.4.1" }).signature),
  "a stranger's key under the pinned one's name": {
    ...offerOf({}, stranger),
    signingKeyId: pinned.id,
  },
  "a newline behind the fourth line was signed": offerOf({}, pinned, `${linesOf(facts)}\n`),
  "lines that end with CR LF were signed": offerOf(
    {},
    pinned,
    linesOf(facts).replaceAll("\n", "\r\n"),
  ),
  "an upper-case hash was signed": offerOf(
    {},
    pinned,
    linesOf({ ...facts, sha256: facts.sha256.toUpperCase() }),
  ),
  "the lines in another order were signed": offerOf(
    {},
    pinned,
    linesOf(facts).split("\n").reverse().join("\n"),
  ),
  "no signature": withSignature(""),
  "no base64": withSignature("?".repeat(96)),
  "r and s as 64 bytes, not DER": withDer(raw),
  "DER that ends early": withDer(der.subarray(0, -1)),
  "DER with a byte behind it": withDer(Uint8Array.from([...der, 0])),
  "DER with a length in two bytes": withDer(
    Uint8Array.from([0x30, 0x81, der.length - 2, ...der.subarray(2)]),
  ),
  "DER of another tag": withDer(Uint8Array.from([0x31, ...der.subarray(1)])),
  "DER with a zero too many in front of r": withDer(derOf([0, ...r], s)),
  "DER of a negative s": withDer(derOf(r, integerBytes(high.s).slice(-32))),
  "r is 0": withDer(derOf(zero, s)),
  "s is 0": withDer(derOf(r, zero)),
  "s is the order of the curve": withDer(derOf(r, integerBytes(order))),
  "s and the order": withDer(derOf(r, integerBytes(numbers.s + order))),
  "Ed25519 of 63 bytes": {
    ...offerOf({}, edwards),
    signature: base64(edwards.sign(linesOf(facts)).subarray(0, 63)),
  },
};

const malformed: Readonly<Record<string, ReleaseOffer>> = {
  "a newline in the version that shifts the lines": {
    ...good,
    version: `${facts.version}\n${facts.targetHardware}`,
  },
  "a newline in the target that shifts the lines": {
    ...good,
    targetHardware: `${facts.targetHardware}\n${facts.releasedAt}`,
  },
  "two numbers in the version": offerOf({ version: "1.4" }),
  "a suffix to the version": offerOf({ version: "1.4.0-rc.1" }),
  "an upper-case hash": offerOf({ sha256: facts.sha256.toUpperCase() }),
  "a short hash": offerOf({ sha256: facts.sha256.slice(1) }),
  "a time that is none": offerOf({ releasedAt: "yesterday" }),
  "an image of no bytes": { ...good, size: 0 },
  "half a byte": { ...good, size: 1.5 },
};

const others: readonly OfferCase[] = [
  {
    name: "another target",
    offer: offerOf({ targetHardware: "esp32c3" }),
    expected: "wrong_target",
  },
  {
    name: "another target, forged",
    offer: { ...good, targetHardware: "esp32c3" },
    expected: "wrong_target",
  },
  { name: "the version that runs", offer: offerOf({ version: "1.3.9" }), expected: "not_newer" },
  {
    name: "an earlier version, as numbers",
    offer: offerOf({ version: "1.3.8" }),
    expected: "not_newer",
  },
  {
    name: "the version that runs, with zeros",
    offer: offerOf({ version: "1.03.009" }),
    expected: "not_newer",
  },
  {
    name: "an image that the slot can't hold",
    offer: { ...good, size: device.capacity + 1 },
    expected: "too_large",
  },
  { name: "a key that is not pinned", offer: offerOf({}, stranger), expected: "unknown_key" },
  {
    name: "the name of another algorithm",
    offer: { ...good, signatureAlgorithm: "ed25519" },
    expected: "wrong_algorithm",
  },
  {
    name: "the name of no algorithm",
    offer: { ...good, signatureAlgorithm: "none" },
    expected: "wrong_algorithm",
  },
];

const casesOf = (offers: Readonly<Record<string, ReleaseOffer>>, expected: OfferCase["expected"]) =>
  Object.entries(offers).map(([name, offer]): OfferCase => ({ name, offer, expected }));

/** Offers, and what a device must make of each. */
export function makeOfferVectors() {
  const cases = [
    ...casesOf(taken, "taken"),
    ...casesOf(invalid, "invalid_signature"),
    ...casesOf(malformed, "malformed_offer"),
    ...others,
  ];
  return {
    about:
      "A device with these facts and pinned keys is made these offers. Fields are judged before the signature.",
    device,
    keys: [pinned, edwards].map(({ id, algorithm, pem }) => ({ id, algorithm, pem })),
    cases: [...cases, { name: "rolled back from a later one", ...rollBack }],
  };
}

/** A device that fell back to 1.3.9 after 1.3.12 was confirmed is offered 1.3.11. */
const rollBack = {
  device: { ...device, floor: "1.3.12" },
  offer: offerOf({ version: "1.3.11" }),
  expected: "rollback" as const,
};
