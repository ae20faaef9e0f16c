import type { User } from "../user/user.js";

/** The kinds of callers that a call in code can act as. */
export type PrincipalKind = "anyone" | "device" | "customer" | "operator";

type Identity =
  | { readonly kind: "anyone" }
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "user"; readonly user: User };

/**
 * The identity that a call in code acts as. Only `anyone`, `device`, `customer` and `operator` create one. The gateway
 * trusts the program that creates it. Parsed request data is never a principal.
 */
export class Principal<out Kind extends PrincipalKind = PrincipalKind> {
  /** Exists in the type only, not at run time. */
  declare readonly kind: Kind;
  readonly #identity: Identity;

  /** @internal */
  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** @internal Returns undefined if the value is not a principal. */
  static identityOf(value: unknown): Identity | undefined {
    const isPrincipal = typeof value === "object" && value !== null && #identity in value;
    return isPrincipal ? value.#identity : undefined;
  }
}

function checkId(of: string, id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw new TypeError(`${of}: the id is missing. Pass a non-empty string.`);
}

/** A caller without authentication. */
export const anyone = new Principal<"anyone">({ kind: "anyone" });

/**
 * Returns the principal of a registered device. Each call checks that the device is not revoked.
 *
 * @example
 * const api = gateway.as(device("gw-1"));
 * const sent = await api.sendTelemetry({ body: { temperature: 21.5 } });
 */
export const device = (deviceId: string): Principal<"device"> =>
  new Principal({ kind: "device", deviceId: checkId("device", deviceId) });

/**
 * Returns the principal of a customer whom your program has authenticated. Ownership of devices refers to the id.
 * @throws {TypeError} if a field is missing.
 *
 * @example
 * const api = gateway.as(customer({ id: user.id, emailVerified: true }));
 * const claimed = await api.claimDevice({ body: { deviceId, claimCode } });
 */
export function customer({ id, emailVerified }: Omit<User, "roles">): Principal<"customer"> {
  if (typeof emailVerified !== "boolean") {
    throw new TypeError("customer: emailVerified is missing. Pass true or false.");
  }
  return new Principal({
    kind: "user",
    user: { id: checkId("customer", id), emailVerified, roles: [] },
  });
}

/**
 * Returns the principal of an operator, or of a program that acts as one. The audit trail records the id.
 *
 * @example
 * const api = gateway.as(operator({ id: "billing" }));
 * const assigned = await api.assignDevice({ params: { deviceId }, body: { customerId } });
 */
export const operator = ({ id }: Pick<User, "id">): Principal<"operator"> =>
  new Principal({
    kind: "user",
    user: { id: checkId("operator", id), emailVerified: true, roles: ["operator"] },
  });
