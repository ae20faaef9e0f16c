import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";

/** Returns the SHA-256 of a text in UTF-8, in base64url. Caches use it as the key instead of the secret. */
export type Digest = (text: string) => string;

/**
 * SHA-256 in plain JavaScript, for any runtime. On Node, `nodeDigest` of `core/node` is faster.
 * @example
 * ```ts
 * portableDigest("abc"); // "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"
 * ```
 */
export const portableDigest: Digest = (text) => toBase64Url(sha256(toUtf8(text)));
