/** The part of the server's offer that the updater uses (§6). */
export interface ReleaseOffer {
  readonly version: string;
  readonly targetHardware: string;
  /** Byte for byte as it was signed. */
  readonly releasedAt: string;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64 of the ASN.1 DER (`ecdsa-p256-sha256`) or of 64 bytes (`ed25519`). */
  readonly signature: string;
  readonly signingKeyId: string;
  readonly signatureAlgorithm: string;
  /** Bytes. Not signed: it limits the download, and the hash decides. */
  readonly size: number;
  /** Absolute URL. Not signed. */
  readonly downloadUrl: string;
}
