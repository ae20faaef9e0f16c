export interface ImageDetails {
  readonly size: number;
  /** Lower-case hexadecimal; undefined where the browser can't hash: over plain HTTP. */
  readonly sha256: string | undefined;
}

export async function readImage(file: File): Promise<ImageDetails> {
  // Typed as always there, but it is only so on HTTPS and on localhost.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return { size: file.size, sha256: undefined };
  const hash = new Uint8Array(await subtle.digest("SHA-256", await file.arrayBuffer()));
  const sha256 = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { size: file.size, sha256 };
}

/** The four lines that are signed (contract §6): without a newline at the end. */
export const linesToSign = (facts: {
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  readonly sha256: string;
}) => [facts.version, facts.targetHardware, facts.releasedAt, facts.sha256].join("\n");
