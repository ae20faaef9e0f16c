import type { SigningKey, TokenParts } from "./sign.js";

/** A kind of genuine token, with what its verifier must check. */
export interface Target {
  readonly name: string;
  readonly key: SigningKey;
  /** All keys that this verifier trusts, including the one above. */
  readonly allKeys: readonly SigningKey[];
  /** A genuine token's header and claims, valid for a year. */
  readonly parts: {
    readonly header: Readonly<Record<string, unknown>>;
    readonly claims: Readonly<Record<string, unknown>>;
  };
  /** Whether the verifier checks `typ`. */
  readonly pinsType: boolean;
  /** Whether the verifier chooses the key by `kid`. */
  readonly pinsKeyId: boolean;
  /** Another subject, whom a forger wants to impersonate. */
  readonly someoneElse: string;
  /** Epoch seconds. */
  readonly now: number;
}

/** A token that must be refused, and what is wrong with it. */
export interface Forgery {
  readonly name: string;
  /** The value of the Authorization header. */
  readonly authorization: string;
}

export const bearer = (name: string, token: string): Forgery => ({
  name,
  authorization: `Bearer ${token}`,
});

/** Returns a genuine token's parts with changed headers. `undefined` removes a header. */
export const withHeader = ({ parts }: Target, header: object): TokenParts => ({
  header: { ...parts.header, ...header },
  claims: parts.claims,
});

export const withClaims = ({ parts }: Target, claims: object): TokenParts => ({
  header: parts.header,
  claims: { ...parts.claims, ...claims },
});
