import {
  createGateway,
  createJwtAuthenticator,
  type Gateway,
  type GatewayOptions,
} from "@device-gateway/core";

/** An issuer of customers' tokens. */
export interface Issuer {
  /** The `iss` of its tokens, exactly as it writes it. Auth0's ends in a slash. */
  readonly issuer: string;
  /** The URL of its keys. An OpenID provider names it as `jwks_uri` in its configuration. */
  readonly jwksUrl: string;
}

/**
 * Creates a gateway whose customers sign in with an issuer that publishes its keys, such as Auth0,
 * Keycloak, Cognito or Entra. `sub` of a token is the customer. A customer needs `email_verified` to
 * claim a device.
 */
export const createGatewayFor = (
  { issuer, jwksUrl }: Issuer,
  options: Pick<GatewayOptions, "store" | "secrets" | "slowHash">,
): Promise<Gateway> =>
  createGateway({
    ...options,
    customers: createJwtAuthenticator({ jwksUrl, issuer, audience: "device-gateway" }),
  });
