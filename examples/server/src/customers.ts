import {
  type CustomerAuthenticator,
  createJwtAuthenticator,
  type IssuerKeys,
  type Logger,
} from "@device-gateway/core";
import { createDemoCustomer, demoIssuer } from "./demo/demo-customer.js";
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

/** Whether the demo has a customer of its own: it does where nobody else could claim its gateway. */
export const hasDemoCustomer = (settings: CustomerSettings & Pick<Settings, "DEMO">) =>
  settings.DEMO && issuerKeysOf(settings) === undefined;

/** Who tells whose a customer's token is: the issuer of the settings, the demo's, or nobody. */
export async function createCustomers(
  settings: CustomerSettings & Pick<Settings, "DEMO" | "DATA_DIR">,
  logger: Logger,
): Promise<CustomerAuthenticator | undefined> {
  const keys = issuerKeysOf(settings);
  if (keys !== undefined) {
    const { CUSTOMER_JWT_ISSUER: issuer = "", CUSTOMER_JWT_AUDIENCE: audience = "" } = settings;
    return createJwtAuthenticator({ ...keys, issuer, audience });
  }
  if (hasDemoCustomer(settings)) {
    const secret = await createDemoCustomer(settings.DATA_DIR);
    return createJwtAuthenticator({ secret, ...demoIssuer });
  }
  logger.info(
    {},
    "Nobody can claim a device: no issuer of customers' tokens is set. Set CUSTOMER_JWT_SECRET or CUSTOMER_JWKS_URL, with CUSTOMER_JWT_ISSUER and CUSTOMER_JWT_AUDIENCE",
  );
  return undefined;
}
