/** The fields of a release that its signature covers (§6). */
export interface SignedFacts {
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Returns the bytes that a release's signature covers: four lines without a newline at the end (§6).
 *
 * @example
 * const bytes = signedLines({ version: "1.4.0", targetHardware: "esp32dev", releasedAt, sha256 });
 */
export function signedLines({ version, targetHardware, releasedAt, sha256 }: SignedFacts) {
  return new TextEncoder().encode([version, targetHardware, releasedAt, sha256].join("\n"));
}
