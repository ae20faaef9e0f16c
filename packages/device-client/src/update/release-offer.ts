/** What the server offers (contract §6): the part of its answer that the updater uses. */
export interface ReleaseOffer {
  readonly version: string;
  readonly targetHardware: string;
  /** As it was signed, byte for byte. */
  readonly releasedAt: string;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64: ASN.1 DER of `ecdsa-p256-sha256`, the 64 bytes of `ed25519`. */
  readonly signature: string;
  readonly signingKeyId: string;
  readonly signatureAlgorithm: string;
  /** Bytes. Not signed: only the hash says whether it was right. */
  readonly size: number;
  /** Not signed either. */
  readonly downloadUrl: string;
}
