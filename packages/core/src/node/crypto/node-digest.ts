import { hash } from "node:crypto";
import type { Digest } from "../../ports/digest.js";

/**
 * Computes SHA-256 with Node. For a token it takes a third of the time of the portable implementation.
 *
 * @example
 * const gateway = await createGateway({ store, secrets, digest: nodeDigest });
 */
export const nodeDigest: Digest = (text) => hash("sha256", text, "base64url");
