import {
  createGateway,
  createJwtAuthenticator,
  type Gateway,
  type GatewayOptions,
} from "@device-gateway/core";

/**
 * Creates a gateway whose customers sign in with an issuer that publishes its keys, such as Auth0,
 * Keycloak, Cognito or Entra. `sub` of a token is the customer. A customer needs `email_verified` to
 * claim a device.
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
