import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** What a certificate says, and who signs it. */
export interface CertificatePlan {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly issuerPublicKey: KeyObject;
  readonly issuerPrivateKey: KeyObject;
  readonly isAuthority: boolean;
  /** Host names and IPv4 addresses. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

type Bytes = Uint8Array;

/** Encodes a value in ASN.1 DER. Lengths of up to 65,535 bytes are enough for a certificate. */
function der(tag: number, ...parts: readonly Bytes[]): Bytes {
  const content = Buffer.concat(parts);
  const { length } = content;
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.from(header), content]);
}

const sequence = (...parts: readonly Bytes[]) => der(0x30, ...parts);
const octets = (bytes: Bytes) => der(0x04, bytes);
const bits = (bytes: Bytes, unused = 0) => der(0x03, Uint8Array.of(unused), bytes);
const oid = (...bytes: readonly number[]) => der(0x06, Uint8Array.from(bytes));
const text = (tag: number, value: string) => der(tag, Buffer.from(value));
const yes = der(0x01, Uint8Array.of(0xff));

/** ecdsa-with-SHA256 (RFC 5758) */
const signatureAlgorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

const nameOf = (commonName: string) =>
  sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), text(0x0c, commonName))));

/** UTCTime, for years before 2050 (RFC 5280, section 4.1.2.5.1). */
const timeOf = (time: Date) =>
  text(
    0x17,
    `${time
      .toISOString()
      .replaceAll(/[-:T]|\.\d+/g, "")
      .slice(2)}`,
  );

const spkiOf = (key: KeyObject): Bytes => key.export({ type: "spki", format: "der" });
const keyIdOf = (key: KeyObject): Bytes => createHash("sha1").update(spkiOf(key)).digest();

const alternativeName = (name: string) =>
  isIPv4(name) ? der(0x87, Uint8Array.from(name.split("."), Number)) : text(0x82, name);

/** An extension of the arc 2.5.29 (RFC 5280, section 4.2.1). */
const extension = (arc: number, isCritical: boolean, value: Bytes) =>
  sequence(oid(0x55, 0x1d, arc), ...(isCritical ? [yes] : []), octets(value));

function extensionsOf({ isAuthority, names, publicKey, issuerPublicKey }: CertificatePlan): Bytes {
  // keyCertSign, or digitalSignature.
  const usage = isAuthority ? bits(Uint8Array.of(0x04), 2) : bits(Uint8Array.of(0x80), 7);
  const all = [
    extension(0x0e, false, octets(keyIdOf(publicKey))),
    extension(0x23, false, sequence(der(0x80, keyIdOf(issuerPublicKey)))),
    extension(0x13, true, isAuthority ? sequence(yes) : sequence()),
    extension(0x0f, true, usage),
    ...(names.length > 0 ? [extension(0x11, false, sequence(...names.map(alternativeName)))] : []),
  ];
  return der(0xa3, sequence(...all));
}

/** Signs an X.509 certificate of version 3 (RFC 5280). The keys are of the curve P-256. Returns it as PEM. */
export function signCertificate(plan: CertificatePlan): string {
  const serial = randomBytes(16);
  // A serial number is positive and has no leading zero byte.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const content = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, serial),
    signatureAlgorithm,
    nameOf(plan.issuer),
    sequence(timeOf(plan.notBefore), timeOf(plan.notAfter)),
    nameOf(plan.subject),
    spkiOf(plan.publicKey),
    extensionsOf(plan),
  );
  const signature = sign("sha256", content, plan.issuerPrivateKey);
  const certificate = Buffer.from(sequence(content, signatureAlgorithm, bits(signature)));
  const lines = certificate.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
