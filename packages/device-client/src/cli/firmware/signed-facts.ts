import type { SignedFacts } from "@device-gateway/core/contract";
import { CliError, exitCodes, type Values } from "../command.js";
import type { ImageFile } from "./image-file.js";

/** The options for the values that a release's signature covers. */
export const releaseOptions = {
  version: { type: "string", value: "X.Y.Z", help: "Version of the image.", required: true },
  target: {
    type: "string",
    value: "NAME",
    help: "Target hardware, as devices send it.",
    required: true,
  },
  "released-at": {
    type: "string",
    value: "TIME",
    help: "Time of the release, such as 2026-01-31T12:00:00Z. Default: now.",
  },
} as const;

/** A value that the schema of a release does not accept. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the error for a release that the server would refuse. */
export function toReleaseError(issues: readonly Issue[]): CliError {
  const faults = issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return new CliError(`The release is invalid: ${faults.join("; ")}.`, exitCodes.usage);
}

/** Returns the time without milliseconds, because field firmware compares the received text with the signed text. */
const signingTime = (now: number) => new Date(now).toISOString().replace(/\.\d+Z$/, "Z");

/** Returns the values that a release's signature covers (§6). `now` is in epoch milliseconds. */
export const signedFactsOf = (
  { version, target, "released-at": releasedAt }: Values<typeof releaseOptions>,
  { sha256 }: ImageFile,
  now: number,
): SignedFacts => ({
  version,
  targetHardware: target,
  releasedAt: releasedAt ?? signingTime(now),
  sha256,
});
