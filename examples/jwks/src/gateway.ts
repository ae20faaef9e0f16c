import {
  createGateway,
  createJwtAuthenticator,
  type Gateway,
  type GatewayOptions,
  type JwtAuthenticatorOptions,
} from "@device-gateway/core";

/** An issuer of customers' tokens. */
export interface Issuer extends Pick<JwtAuthenticatorOptions, "toUser"> {
  /** The `iss` of its tokens, exactly as it writes it. Auth0's ends in a slash. */
  readonly issuer: string;
  /** The URL of its keys. An OpenID provider names it as `jwks_uri` in its configuration. */
  readonly jwksUrl: string;
  /** The `aud` of its tokens. Cognito and Entra write the id of your app. Default: `device-gateway`. */
  readonly audience?: string;
}

/**
 * Creates a gateway whose customers sign in with an issuer that publishes its keys. `sub` of a token
 * is the customer. A customer needs a verified e-mail address to claim a device. Keycloak, and
 * Cognito in ID tokens, report it as `email_verified`. Tokens for an API of Auth0, and those of
 * Entra, do not: pass `toUser`. The README of `@device-gateway/core` says what each product needs.
 */
export const createGatewayFor = (
  { audience = "device-gateway", ...issuer }: Issuer,
  options: Pick<GatewayOptions, "store" | "secrets" | "slowHash">,
): Promise<Gateway> =>
  createGateway({
    ...options,
    customers: createJwtAuthenticator({ ...issuer, audience }),
  });
