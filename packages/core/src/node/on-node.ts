import type { GatewayOptions } from "../gateway-options.js";
import { createLibuvSlowHash } from "./libuv-slow-hash.js";
import { nodeDigest } from "./node-digest.js";

/**
 * The options that use Node's native scrypt and SHA-256. Without them, a gateway computes both in plain JavaScript,
 * on its only thread.
 *
 * @example
 * const gateway = await createGateway({ store, secrets, ...onNode });
 */
export const onNode: Required<Pick<GatewayOptions, "slowHash" | "digest">> = {
  slowHash: createLibuvSlowHash(),
  digest: nodeDigest,
};
