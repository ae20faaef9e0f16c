import {
  createGateway,
  createJwtAuthenticator,
  type Gateway,
  type GatewayOptions,
} from "@device-gateway/core";

/**
 * A gateway whose customers sign in with an issuer that publishes its keys, as Auth0, Keycloak,
 * Cognito, Entra and others do. A token's `sub` is the customer, `email_verified` lets them claim.
 */
export const createGatewayFor = (
  issuer: string,
  options: Pick<GatewayOptions, "store" | "secrets" | "slowHash">,
): Promise<Gateway> =>
  createGateway({
    ...options,
    customers: createJwtAuthenticator({
      jwksUrl: `${issuer}/.well-known/jwks.json`,
      issuer,
      audience: "device-gateway",
    }),
  });
