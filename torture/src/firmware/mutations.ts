import type { Dice } from "../dice.js";
import { type SignedRelease, signedParts, signRelease, strangers } from "./keys.js";
import type { Genuine } from "./release-world.js";

/** Changes, inserts or removes a random byte, or replaces the rest by noise. */
export function spoilBytes(bytes: Uint8Array, dice: Dice): Uint8Array<ArrayBuffer> {
  const spoilt = Uint8Array.from(bytes);
  const at = dice.int(bytes.length);
  spoilt[at] = (bytes[at] ?? 0) ^ (1 << dice.int(8));
  switch (dice.int(4)) {
    case 0:
      return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]);
    case 1:
      return Uint8Array.from([...bytes.subarray(0, at), dice.int(256), ...bytes.subarray(at)]);
    case 2:
      return Uint8Array.from(bytes, (byte, place) => (place < at ? byte : dice.int(256))).with(
        at,
        (bytes[at] ?? 0) ^ 0xff,
      );
    default:
      return spoilt;
  }
}

const versions = ["1.2.1", "2.0.0", "999.0.0", "01.2.0", "1.2.0-rc.1", "1.2", "1.2.0\n", " 1.2.0"];
const targets = ["esp32dev ", "ESP32DEV", "esp32", "esp32dev\n", "esp32d\u0435v", "", "*"];

const changeDigit = (hex: string, dice: Dice) => {
  const at = dice.int(hex.length);
  const digits = [..."0123456789abcdef"].filter((digit) => digit !== hex[at]);
  return hex.slice(0, at) + dice.pick(digits) + hex.slice(at + 1);
};

function spoilSignature({ signature }: SignedRelease, dice: Dice): string {
  const bytes = Buffer.from(signature, "base64");
  if (dice.chance(0.1)) return dice.pick(["", "AA==", signature.slice(4), `${signature}AAAA`, "?"]);
  return Buffer.from(spoilBytes(bytes, dice)).toString("base64");
}

/** Changes one signed field of a release, its key or its signature. */
export function spoilRelease({ release, image }: Genuine, dice: Dice): SignedRelease {
  const { version, targetHardware, releasedAt, sha256 } = release;
  const facts = { version, targetHardware, releasedAt };
  switch (dice.int(8)) {
    case 0:
      return { ...release, version: dice.pick(versions) };
    case 1:
      return { ...release, targetHardware: dice.pick(targets) };
    case 2:
      return { ...release, releasedAt: new Date(dice.int(2 ** 40)).toISOString() };
    case 3:
      return { ...release, sha256: changeDigit(sha256, dice) };
    case 4:
      return signRelease(dice.pick(strangers), image, facts);
    case 5: {
      const algorithms = ["ecdsa-p256-sha256", "ed25519"] as const;
      const [other] = algorithms.filter((name) => name !== release.signatureAlgorithm);
      return { ...release, signatureAlgorithm: other ?? "ed25519" };
    }
    case 6: {
      const ids = ["main", "spare", "stranger", "__proto__"];
      return {
        ...release,
        signingKeyId: dice.pick(ids.filter((id) => id !== release.signingKeyId)),
      };
    }
    default:
      return { ...release, signature: spoilSignature(release, dice) };
  }
}

/** Combines fields of several genuine releases that were never signed together. */
export function mixReleases(genuine: readonly Genuine[], dice: Dice): SignedRelease {
  for (;;) {
    const mixed: SignedRelease = { ...dice.pick(genuine).release };
    for (const part of signedParts) {
      Object.assign(mixed, { [part]: dice.pick(genuine).release[part] });
    }
    const isGenuine = genuine.some(({ release }) =>
      signedParts.every((part) => release[part] === mixed[part]),
    );
    if (!isGenuine) return mixed;
  }
}
