export interface ImageDetails {
  readonly size: number;
  /** Lower-case hexadecimal; undefined over plain HTTP, where the browser can't hash. */
  readonly sha256: string | undefined;
}

export async function readImage(file: File): Promise<ImageDetails> {
  // The type says that it always exists, but browsers have it only on HTTPS and localhost.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return { size: file.size, sha256: undefined };
  const hash = new Uint8Array(await subtle.digest("SHA-256", await file.arrayBuffer()));
  const sha256 = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { size: file.size, sha256 };
}

/** Returns the four lines to sign (§6), without a newline at the end. */
export const linesToSign = (facts: {
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  readonly sha256: string;
}) => [facts.version, facts.targetHardware, facts.releasedAt, facts.sha256].join("\n");
