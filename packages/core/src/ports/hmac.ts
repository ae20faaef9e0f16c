import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Returns the HMAC-SHA-256 of data (RFC 2104). It is synchronous, because WebCrypto's HMAC takes a third of a login. */
export type Hmac = (key: Uint8Array, data: Uint8Array) => Uint8Array;

/** HMAC-SHA-256 in plain JavaScript, for any runtime. On Node, `nodeHmac` of `core/node` is faster. */
export const portableHmac: Hmac = (key, data) => hmac(sha256, key, data);
