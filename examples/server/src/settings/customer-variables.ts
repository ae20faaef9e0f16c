import { z } from "zod";
import { isPlaceholder } from "./placeholder-secret.js";

/** A key for HS256 has the length of its hash (RFC 7518, section 3.2). */
const leastSecretBytes = 32;
const makeOne = "Take a random one, at the issuer too: openssl rand -base64 48";

const isJwksUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return /^https?:$/.test(url?.protocol ?? "") && !url?.username && !url?.password;
};

/** Whose tokens customers may bring beside those of accounts. The messages stand behind the variable's name. */
export const customerShape = {
  CUSTOMER_JWT_SECRET: z
    .string()
    .refine((secret) => secret.trim() === secret, {
      error: "has space around it, which would be part of the secret. Remove it.",
      abort: true,
    })
    .refine((secret) => Buffer.byteLength(secret) >= leastSecretBytes, {
      error: `is shorter than ${leastSecretBytes} bytes, so that it can be guessed. ${makeOne}`,
      abort: true,
    })
    .refine((secret) => !isPlaceholder(secret), {
      error: `is a placeholder, which whoever wants to claim devices will try. ${makeOne}`,
    })
    .optional()
    .meta({
      description: "Secret that your issuer signs customers' tokens with (HS256).",
      form: `${leastSecretBytes} bytes or more`,
      unless: "accounts alone",
      concealed: true,
    }),
  CUSTOMER_JWKS_URL: z
    .string()
    .refine(isJwksUrl, {
      error:
        "must be the http or https URL of your issuer's key set, without user name and password. Correct it, or unset it.",
    })
    .optional()
    .meta({
      description: "Key set of the issuer of customers' tokens, in place of the secret.",
      form: "a URL",
      unless: "accounts alone",
      concealed: true,
    }),
  CUSTOMER_JWT_ISSUER: z.string().optional().meta({
    description: "`iss` of customers' tokens.",
    form: "as your issuer writes it",
    unless: "none; required with a secret or key set",
  }),
  CUSTOMER_JWT_AUDIENCE: z.string().optional().meta({
    description: "What must be among `aud` of customers' tokens.",
    form: "as your issuer writes it",
    unless: "none; required with a secret or key set",
  }),
};

/** Says what is missing, or too much, for customers' tokens to be checked. */
export function tellCustomerGaps(
  isSet: (name: keyof typeof customerShape) => boolean,
): readonly string[] {
  const keys = (["CUSTOMER_JWT_SECRET", "CUSTOMER_JWKS_URL"] as const).filter(isSet);
  const names = (["CUSTOMER_JWT_ISSUER", "CUSTOMER_JWT_AUDIENCE"] as const).filter(isSet);
  const [key] = keys;
  if (keys.length === 2) {
    return [
      "CUSTOMER_JWT_SECRET and CUSTOMER_JWKS_URL are both set, but customers' tokens are checked with one of them. Unset the other.",
    ];
  }
  if (key === undefined) {
    return names.map(
      (name) =>
        `${name} is set, but without a key no customer's token can be checked. Set CUSTOMER_JWT_SECRET or CUSTOMER_JWKS_URL as well, or unset it.`,
    );
  }
  const claims = { CUSTOMER_JWT_ISSUER: "iss", CUSTOMER_JWT_AUDIENCE: "aud" };
  return Object.entries(claims)
    .filter(([name]) => !names.includes(name as keyof typeof claims))
    .map(
      ([name, claim]) =>
        `${name} is not set, but ${key} is: a token made for somebody else would do as well. Set it to the \`${claim}\` of your issuer's tokens.`,
    );
}
