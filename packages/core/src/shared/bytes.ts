import { base64url } from "jose";

const encoder = new TextEncoder();

export const toUtf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
export const toBase64Url = (bytes: Uint8Array): string => base64url.encode(bytes);
/** @throws {TypeError} if the text is not base64url. */
export const fromBase64Url = (text: string): Uint8Array => base64url.decode(text);

/** Compares two byte arrays in a time that depends only on their lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0);
  return difference === 0;
}
