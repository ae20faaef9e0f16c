import type { SigningKey, TokenParts } from "./sign.js";

/** A verifier's door: genuine tokens for it, and what its verifier must insist on. */
export interface Target {
  readonly name: string;
  readonly key: SigningKey;
  /** All keys that this verifier knows, the one above among them. */
  readonly allKeys: readonly SigningKey[];
  /** A genuine token's header and claims, good for a year. */
  readonly parts: {
    readonly header: Readonly<Record<string, unknown>>;
    readonly claims: Readonly<Record<string, unknown>>;
  };
  /** `typ` is part of what makes a token one of these. */
  readonly pinsType: boolean;
  /** Keys are chosen by `kid`. */
  readonly pinsKeyId: boolean;
  /** Somebody else whom a forger would like to be. */
  readonly someoneElse: string;
  /** Epoch seconds. */
  readonly now: number;
}

/** A token that nobody must take, and why it might be. */
export interface Forgery {
  readonly name: string;
  /** What comes after `Authorization: `. */
  readonly authorization: string;
}

export const bearer = (name: string, token: string): Forgery => ({
  name,
  authorization: `Bearer ${token}`,
});

/** A genuine token's parts with other headers or claims; undefined leaves one out. */
export const withHeader = ({ parts }: Target, header: object): TokenParts => ({
  header: { ...parts.header, ...header },
  claims: parts.claims,
});

export const withClaims = ({ parts }: Target, claims: object): TokenParts => ({
  header: parts.header,
  claims: { ...parts.claims, ...claims },
});
