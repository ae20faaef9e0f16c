import { createJwtAuthenticator, type IssuerKeys, type Logger } from "@device-gateway/core";
import { acceptIssuer } from "./accounts/accept-issuer.js";
import type { Authenticators } from "./accounts/account-authenticators.js";
import type { Settings } from "./settings/settings.js";

type CustomerSettings = Pick<
  Settings,
  "CUSTOMER_JWT_SECRET" | "CUSTOMER_JWKS_URL" | "CUSTOMER_JWT_ISSUER" | "CUSTOMER_JWT_AUDIENCE"
>;

function issuerKeysOf(settings: CustomerSettings): IssuerKeys | undefined {
  const { CUSTOMER_JWT_SECRET: secret, CUSTOMER_JWKS_URL: jwksUrl } = settings;
  if (secret !== undefined) return { secret };
  return jwksUrl === undefined ? undefined : { jwksUrl };
}

/** Creates the authenticators of customers: the server's accounts, the configured issuer, both or none. */
export function createCustomers(
  settings: CustomerSettings,
  accounts: Authenticators | undefined,
  logger: Logger,
): Partial<Authenticators> {
  const keys = issuerKeysOf(settings);
  if (keys !== undefined) {
    const { CUSTOMER_JWT_ISSUER: issuer = "", CUSTOMER_JWT_AUDIENCE: audience = "" } = settings;
    const customers = createJwtAuthenticator({ ...keys, issuer, audience, logger });
    return accounts === undefined ? { customers } : acceptIssuer(accounts, customers);
  }
  if (accounts !== undefined) return accounts;
  logger.info(
    {},
    "Nobody can claim a device, because there are no accounts and no issuer of customers' tokens. Set ACCOUNTS=1, or set CUSTOMER_JWT_SECRET or CUSTOMER_JWKS_URL together with CUSTOMER_JWT_ISSUER and CUSTOMER_JWT_AUDIENCE.",
  );
  return {};
}
