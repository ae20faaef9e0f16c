import {
  type Clock,
  type CustomerAuthenticator,
  createJwtAuthenticator,
  type User,
} from "@device-gateway/core";
import { SignJWT } from "jose";

export const customerIssuer = "https://accounts.example.com";
export const customerAudience = "device-gateway:dashboard";
export const customerSecret = "a-secret-of-the-issuer-that-is-long-enough";

const yearMs = 365 * 86_400_000;

/** Issues customer tokens that the supplied JWT authenticator accepts (HS256, shared secret). */
export interface Issuer {
  readonly authenticator: CustomerAuthenticator;
  /** Returns a valid token for the user; the same token on each call. */
  tokenOf(user: User): Promise<string>;
}

export function createIssuer(clock: Clock): Issuer {
  const key = new TextEncoder().encode(customerSecret);
  const tokens = new Map<string, Promise<string>>();
  const sign = ({ id, emailVerified, roles }: User) =>
    new SignJWT({ email_verified: emailVerified, roles: [...roles] })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(customerIssuer)
      .setAudience(customerAudience)
      .setSubject(id)
      .setExpirationTime(Math.floor((clock.now() + yearMs) / 1000))
      .sign(key);
  return {
    authenticator: createJwtAuthenticator({
      secret: customerSecret,
      issuer: customerIssuer,
      audience: customerAudience,
      clock,
    }),
    tokenOf(user) {
      const name = JSON.stringify([user.id, user.emailVerified, user.roles]);
      const token = tokens.get(name) ?? sign(user);
      tokens.set(name, token);
      return token;
    },
  };
}

/** Creates a verified customer without roles, unless `changes` says otherwise. */
export const customer = (id: string, changes: Partial<User> = {}): User => ({
  id,
  emailVerified: true,
  roles: [],
  ...changes,
});
