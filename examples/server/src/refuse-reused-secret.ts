import type { GatewaySecrets } from "@device-gateway/core";
import type { Settings } from "./settings/settings.js";
import { StartError } from "./start-error.js";

/**
 * Refuses an issuer's secret that is one of the gateway's own: who has it could make tokens of devices.
 * @throws {StartError} when it is.
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
    "CUSTOMER_JWT_SECRET is one of the secrets in DATA_DIR: whoever has it could make tokens of devices as well. Take another one, at the issuer too: openssl rand -base64 48",
  );
}
