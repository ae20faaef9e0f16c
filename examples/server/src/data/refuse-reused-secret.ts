import type { GatewaySecrets } from "@device-gateway/core";
import type { Settings } from "../settings/settings.js";
import { StartError } from "../start-error.js";

/**
 * Refuses to start if the issuer's secret is one of the gateway's own, because anybody who has it could create device
 * tokens.
 * @throws {StartError} if it is one of them.
 */
export function refuseReusedSecret(
  { CUSTOMER_JWT_SECRET: shared }: Pick<Settings, "CUSTOMER_JWT_SECRET">,
  { pepper, tokenKeys }: GatewaySecrets,
): void {
  if (shared === undefined) return;
  const own = [pepper, ...tokenKeys.map(({ jwk }) => String(jwk["k"] ?? jwk["d"]))];
  const isOwn = own.some((secret) => {
    return secret === shared || Buffer.from(secret, "base64url").toString() === shared;
  });
  if (!isOwn) return;
  throw new StartError(
    "CUSTOMER_JWT_SECRET is one of the secrets in DATA_DIR, so anybody who has it could also create device tokens. Use another secret here and at the issuer: openssl rand -base64 48",
  );
}
