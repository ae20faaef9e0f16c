import { createJwtAuthenticator, type IssuerKeys, type Logger } from "@device-gateway/core";
import type { Authenticators } from "./accounts/account-authenticators.js";
import { acceptIssuer } from "./accounts/accept-issuer.js";
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

/** Who tells who a caller is: the server's accounts, the issuer of the settings, both or nobody. */
export function createCustomers(
  settings: CustomerSettings,
  accounts: Authenticators | undefined,
  logger: Logger,
): Partial<Authenticators> {
  const keys = issuerKeysOf(settings);
  if (keys !== undefined) {
    const { CUSTOMER_JWT_ISSUER: issuer = "", CUSTOMER_JWT_AUDIENCE: audience = "" } = settings;
    const customers = createJwtAuthenticator({ ...keys, issuer, audience });
    return accounts === undefined ? { customers } : acceptIssuer(accounts, customers);
  }
  if (accounts !== undefined) return accounts;
  logger.info(
    {},
    "Nobody can claim a device: there are no accounts, and no issuer of customers' tokens is set. Set ACCOUNTS=1, or CUSTOMER_JWT_SECRET or CUSTOMER_JWKS_URL with CUSTOMER_JWT_ISSUER and CUSTOMER_JWT_AUDIENCE",
  );
  return {};
}
