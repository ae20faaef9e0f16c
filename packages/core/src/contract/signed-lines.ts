/** What of a release is signed (contract §6). */
export interface SignedFacts {
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** The bytes that a release's signature is over: four lines, no newline at the end (contract §6). */
export function signedLines({ version, targetHardware, releasedAt, sha256 }: SignedFacts) {
  return new TextEncoder().encode([version, targetHardware, releasedAt, sha256].join("\n"));
}
