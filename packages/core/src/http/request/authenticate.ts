import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Route } from "../../contract/index.js";
import { authenticateDevice } from "../../device/authenticate-device.js";
import type { Device } from "../../device/device.js";
import type { Failure } from "../../shared/failure.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { addressName } from "../../throttle/address-name.js";
import { bearerTokenOf } from "../../user/bearer-token.js";
import type { CustomerAuthenticator } from "../../user/customer-authenticator.js";
import type { Session, SessionAuthenticator } from "../../user/session-authenticator.js";
import { isOperator, type User } from "../../user/user.js";
import type { GatewayRequest } from "./message.js";
import { isSameOrigin } from "./same-origin.js";

export interface Authenticators {
  readonly customers: CustomerAuthenticator;
  readonly sessions: SessionAuthenticator;
  /** The origin of the dashboard, if the embedder configured it. */
  readonly publicUrl: string | undefined;
}

/** The authenticated caller of a request, and the name of their token bucket. */
export type Caller =
  | { readonly kind: "nobody"; readonly name: string }
  | { readonly kind: "device"; readonly name: string; readonly device: Device }
  | { readonly kind: "user"; readonly name: string; readonly user: User };

type AuthFailure = Failure<"unauthorized" | "forbidden" | "cross_site">;

/** Thrown if the embedder's authenticator cannot answer now. The response is a 503. */
export class AuthenticatorUnavailableError extends Error {
  override readonly name = "AuthenticatorUnavailableError";
}

async function ask<Answer>(authenticator: () => Promise<Answer>): Promise<Answer> {
  try {
    return await authenticator();
  } catch (cause) {
    throw new AuthenticatorUnavailableError(
      "The authenticator failed. Check the service that it uses.",
      { cause },
    );
  }
}

const toUser = (user: User | null): Result<Caller, AuthFailure> =>
  user === null ? err({ code: "unauthorized" }) : ok({ kind: "user", name: user.id, user });

function checkSession(
  session: Session | null,
  route: Route,
  request: GatewayRequest,
  publicUrl: string | undefined,
): Result<Caller, AuthFailure> {
  if (session === null) return err({ code: "unauthorized" });
  const unsafe = route.method !== "GET";
  if (session.proof === "cookie" && unsafe && !isSameOrigin(request, publicUrl)) {
    return err({ code: "cross_site" });
  }
  const needsOperator = route.auth[0] === "operator";
  if (needsOperator && !isOperator(session.user)) return err({ code: "forbidden" });
  return toUser(session.user);
}

/** Authenticates a request as its route requires (§0). */
export async function authenticate(
  context: GatewayContext,
  { customers, sessions, publicUrl }: Authenticators,
  route: Route,
  request: GatewayRequest,
  origin: RequestOrigin,
): Promise<Result<Caller, AuthFailure>> {
  const [required] = route.auth;
  const token = bearerTokenOf(request.header("authorization"));
  switch (required) {
    case undefined:
      return ok({ kind: "nobody", name: addressName(origin.clientAddress) });
    case "device": {
      const device = token === undefined ? null : await authenticateDevice(context, token, origin);
      if (device === null) return err({ code: "unauthorized" });
      return ok({ kind: "device", name: device.deviceId, device });
    }
    case "customer":
      return toUser(
        token === undefined ? null : await ask(() => customers.authenticateToken(token)),
      );
    case "session":
    case "operator": {
      const session = await ask(() => sessions.authenticateRequest(request));
      return checkSession(session, route, request, publicUrl);
    }
  }
}
