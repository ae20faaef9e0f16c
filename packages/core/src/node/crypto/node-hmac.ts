import { createHmac } from "node:crypto";
import type { Hmac } from "../../ports/hmac.js";

/**
 * Returns an HMAC-SHA-256, computed by Node. A gateway signs tokens and hashes secrets with it.
 *
 * @example
 * const gateway = await createGateway({ store, secrets, hmac: nodeHmac });
 */
export const nodeHmac: Hmac = (key, data) => createHmac("sha256", key).update(data).digest();
