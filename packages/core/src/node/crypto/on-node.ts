import type { GatewayOptions } from "../../gateway-options.js";
import { createLibuvSlowHash } from "./libuv-slow-hash.js";
import { nodeDigest } from "./node-digest.js";
import { nodeHmac } from "./node-hmac.js";

/**
 * The options that use Node's native scrypt, SHA-256 and HMAC. Without them, a gateway computes them in plain JavaScript,
 * on its only thread.
 *
 * @example
 * const gateway = await createGateway({ store, secrets, ...onNode });
 */
export const onNode: Required<Pick<GatewayOptions, "slowHash" | "digest" | "hmac">> = {
  slowHash: createLibuvSlowHash(),
  digest: nodeDigest,
  hmac: nodeHmac,
};
