import type { Refusal } from "../../update/machine/update-event.js";
import type { ReleaseOffer } from "../../update/offer/release-offer.js";
import { derOf, integerBytes, order, otherS, readNumbers } from "./der.js";
import { ed25519Key, linesOf, p256Key, type VectorKey } from "./vector-key.js";

export interface OfferCase {
  readonly name: string;
  readonly offer: ReleaseOffer;
  readonly expected: Refusal | "taken";
  /** A device may also take the offer. */
  readonly optional?: true;
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

/** Creates an offer with these facts. It signs `text`, by default their four lines. */
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
  "a high s, as in half of OpenSSL's signatures": withDer(derOf(r, integerBytes(high.s))),
  "the highest confirmed version itself": offerOf({ version: "1.3.10" }),
  "a time with milliseconds and an offset": offerOf({
    releasedAt: "2026-01-31T13:00:00.000+01:00",
  }),
};

const invalid: Readonly<Record<string, ReleaseOffer>> = {
  "the version of another release": { ...good, version: "1.4.1" },
  "the time of another release": { ...good, releasedAt: "2026-02-01T12:00:00Z" },
  "the same time in another format": { ...good, releasedAt: "2026-01-31T12:00:00.000Z" },
  "the hash of another image": { ...good, sha256: `0${facts.sha256.slice(1)}` },
  "a signature of another release": withSignature(offerOf({ version: "1.4.1" }).signature),
  "an unknown key under the id of the pinned one": {
    ...offerOf({}, stranger),
    signingKeyId: pinned.id,
  },
  "signed with a newline after the fourth line": offerOf({}, pinned, `${linesOf(facts)}\n`),
  "signed with CR LF line ends": offerOf({}, pinned, linesOf(facts).replaceAll("\n", "\r\n")),
  "signed over an upper-case hash": offerOf(
    {},
    pinned,
    linesOf({ ...facts, sha256: facts.sha256.toUpperCase() }),
  ),
  "signed with the lines in another order": offerOf(
    {},
    pinned,
    linesOf(facts).split("\n").reverse().join("\n"),
  ),
  "no signature": withSignature(""),
  "a signature that is not base64": withSignature("?".repeat(96)),
  "r and s as 64 bytes, not DER": withDer(raw),
  "DER that ends early": withDer(der.subarray(0, -1)),
  "DER with a trailing byte": withDer(Uint8Array.from([...der, 0])),
  "DER with another tag": withDer(Uint8Array.from([0x31, ...der.subarray(1)])),
  "r is 0": withDer(derOf(zero, s)),
  "s is 0": withDer(derOf(r, zero)),
  "s is the order of the curve": withDer(derOf(r, integerBytes(order))),
  "s plus the order of the curve": withDer(derOf(r, integerBytes(numbers.s + order))),
  "an Ed25519 signature of 63 bytes": {
    ...offerOf({}, edwards),
    signature: base64(edwards.sign(linesOf(facts)).subarray(0, 63)),
  },
};

/** Other encodings of a valid r and s. They forge nothing, and Mbed TLS 2.28 accepts them. */
const laxDer: Readonly<Record<string, ReleaseOffer>> = {
  "DER with a length in two bytes": withDer(
    Uint8Array.from([0x30, 0x81, der.length - 2, ...der.subarray(2)]),
  ),
  "DER with an extra zero byte in r": withDer(derOf([0, ...r], s)),
  "DER with a negative s": withDer(derOf(r, integerBytes(high.s).slice(-32))),
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
  "a version of two numbers": offerOf({ version: "1.4" }),
  "a version with a suffix": offerOf({ version: "1.4.0-rc.1" }),
  "an upper-case hash": offerOf({ sha256: facts.sha256.toUpperCase() }),
  "a short hash": offerOf({ sha256: facts.sha256.slice(1) }),
  "an invalid time": offerOf({ releasedAt: "yesterday" }),
  "an image of 0 bytes": { ...good, size: 0 },
  "a size of 1.5 bytes": { ...good, size: 1.5 },
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
  { name: "the running version", offer: offerOf({ version: "1.3.9" }), expected: "not_newer" },
  {
    name: "an earlier version, as numbers",
    offer: offerOf({ version: "1.3.8" }),
    expected: "not_newer",
  },
  {
    name: "the running version with leading zeros",
    offer: offerOf({ version: "1.03.009" }),
    expected: "not_newer",
  },
  {
    name: "an image larger than the slot",
    offer: { ...good, size: device.capacity + 1 },
    expected: "too_large",
  },
  { name: "a key that is not pinned", offer: offerOf({}, stranger), expected: "unknown_key" },
  {
    name: "another algorithm than that of the key",
    offer: { ...good, signatureAlgorithm: "ed25519" },
    expected: "wrong_algorithm",
  },
  {
    name: "an unknown algorithm",
    offer: { ...good, signatureAlgorithm: "none" },
    expected: "wrong_algorithm",
  },
];

const casesOf = (offers: Readonly<Record<string, ReleaseOffer>>, expected: OfferCase["expected"]) =>
  Object.entries(offers).map(([name, offer]): OfferCase => ({ name, offer, expected }));

/** Creates offers with the result that a device must come to for each. */
export function makeOfferVectors() {
  const cases = [
    ...casesOf(taken, "taken"),
    ...casesOf(invalid, "invalid_signature"),
    ...casesOf(laxDer, "invalid_signature").map((one) => ({ ...one, optional: true as const })),
    ...casesOf(malformed, "malformed_offer"),
    ...others,
  ];
  return {
    about:
      "A device with these facts and pinned keys receives these offers. It checks the fields before the signature. It may take an offer that is marked optional: its signature is valid, but not in strict DER.",
    device,
    keys: [pinned, edwards].map(({ id, algorithm, pem }) => ({ id, algorithm, pem })),
    cases: [...cases, { name: "an earlier version than the highest confirmed one", ...rollBack }],
  };
}

/** A device that rolled back to 1.3.9 after it had confirmed 1.3.12 is offered 1.3.11. */
const rollBack = {
  device: { ...device, floor: "1.3.12" },
  offer: offerOf({ version: "1.3.11" }),
  expected: "rollback" as const,
};
