import type { ReleaseOffer } from "../offer/release-offer.js";
import type { CheckAnswer } from "../update-ports.js";

const textFields = [
  "version",
  "targetHardware",
  "releasedAt",
  "sha256",
  "signature",
  "signingKeyId",
  "signatureAlgorithm",
  "downloadUrl",
] as const;

const unreadable: CheckAnswer = {
  kind: "unavailable",
  message: "The response is not from the update API. Check the address.",
};

/**
 * Reads the body of `GET /ota/latest`. It checks only types. `judgeOffer` checks the values, so that
 * an invalid offer is refused and reported, not ignored.
 */
export function readOffer(body: unknown): CheckAnswer {
  if (typeof body !== "object" || body === null) return unreadable;
  const fields = body as Readonly<Record<string, unknown>>;
  if (fields["updateAvailable"] === false) return { kind: "not_offered" };
  const complete =
    fields["updateAvailable"] === true &&
    textFields.every((name) => typeof fields[name] === "string") &&
    typeof fields["size"] === "number";
  if (!complete) return unreadable;
  const offer = Object.fromEntries([...textFields, "size"].map((name) => [name, fields[name]]));
  return { kind: "offered", offer: offer as unknown as ReleaseOffer };
}
