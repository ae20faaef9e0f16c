import type { ReleaseOffer } from "./release-offer.js";
import type { CheckAnswer } from "./update-ports.js";

const texts = [
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
  message: "What came is no answer of the update API. Is the address right?",
};

/**
 * Reads the body of `GET /ota/latest`. It only looks at types: what the fields say is judged by
 * `judgeOffer`, so that a strange offer is refused and told of, not lost.
 */
export function readOffer(body: unknown): CheckAnswer {
  if (typeof body !== "object" || body === null) return unreadable;
  const fields = body as Readonly<Record<string, unknown>>;
  if (fields["updateAvailable"] === false) return { kind: "not_offered" };
  const complete =
    fields["updateAvailable"] === true &&
    texts.every((name) => typeof fields[name] === "string") &&
    typeof fields["size"] === "number";
  if (!complete) return unreadable;
  const offer = Object.fromEntries([...texts, "size"].map((name) => [name, fields[name]]));
  return { kind: "offered", offer: offer as unknown as ReleaseOffer };
}
