import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { signCertificate } from "./certificate.js";

/** The certificates that an HTTPS port of a test cloud can present. Only the first is valid. */
export const certificateKinds = ["valid", "self_signed", "expired", "wrong_name"] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** A private key with its certificate, as PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority for one test cloud. */
export interface CloudCertificates {
  /** The certificate of the authority (PEM), which clients must trust. */
  readonly authority: string;
  issue(kind: CertificateKind, host: string): KeyAndCertificate;
}

const day = 86_400_000;
const createKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const toPem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();

/** Creates an authority with a new key. Its certificates follow the real time, because TLS clients do. */
export function createCloudCertificates(): CloudCertificates {
  const name = "Test cloud authority";
  const root = createKeys();
  const now = Date.now();
  const signedByRoot = {
    issuer: name,
    issuerPublicKey: root.publicKey,
    issuerPrivateKey: root.privateKey,
    notBefore: new Date(now - day),
    notAfter: new Date(now + 365 * day),
  };
  return {
    authority: signCertificate({
      ...signedByRoot,
      subject: name,
      publicKey: root.publicKey,
      isAuthority: true,
      names: [],
    }),
    issue(kind, host) {
      const { publicKey, privateKey } = createKeys();
      const own = { issuer: host, issuerPublicKey: publicKey, issuerPrivateKey: privateKey };
      const cert = signCertificate({
        ...signedByRoot,
        ...(kind === "self_signed" && own),
        ...(kind === "expired" && {
          notBefore: new Date(now - 3 * day),
          notAfter: new Date(now - day),
        }),
        subject: host,
        publicKey,
        isAuthority: false,
        names: kind === "wrong_name" ? ["other.invalid"] : [host, "localhost", "127.0.0.1"],
      });
      return { key: toPem(privateKey), cert };
    },
  };
}
