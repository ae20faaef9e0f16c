import { z } from "zod";
import { isPlaceholder } from "./placeholder-secret.js";

/** A key for HS256 is at least as long as the hash (RFC 7518, section 3.2). */
const minSecretBytes = 32;
const advice = "Use a random secret here and at the issuer: openssl rand -base64 48";

const isJwksUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return /^https?:$/.test(url?.protocol ?? "") && !url?.username && !url?.password;
};

/** Settings of an issuer whose tokens count in addition to the accounts'. Each message follows the variable's name. */
export const customerShape = {
  CUSTOMER_JWT_SECRET: z
    .string()
    .refine((secret) => secret.trim() === secret, {
      error: "starts or ends with whitespace, which would be part of the secret. Remove it.",
      abort: true,
    })
    .refine((secret) => Buffer.byteLength(secret) >= minSecretBytes, {
      error: `is shorter than ${minSecretBytes} bytes, so it can be guessed. ${advice}`,
      abort: true,
    })
    .refine((secret) => !isPlaceholder(secret), {
      error: `is a placeholder that attackers try. ${advice}`,
    })
    .optional()
    .meta({
      description: "Secret with which your issuer signs customers' tokens (HS256).",
      form: `${minSecretBytes} bytes or more`,
      unless: "accounts only",
      concealed: true,
    }),
  CUSTOMER_JWKS_URL: z
    .string()
    .refine(isJwksUrl, {
      error:
        "must be the http or https URL of your issuer's key set, without user name and password. Correct it or unset it.",
    })
    .optional()
    .meta({
      description: "URL of the issuer's key set, instead of the secret.",
      form: "a URL",
      unless: "accounts only",
      concealed: true,
    }),
  CUSTOMER_JWT_ISSUER: z.string().optional().meta({
    description: "The `iss` of customers' tokens.",
    form: "as your issuer writes it",
    unless: "none; required with a secret or key set",
  }),
  CUSTOMER_JWT_AUDIENCE: z.string().optional().meta({
    description: "A value that the `aud` of customers' tokens must contain.",
    form: "as your issuer writes it",
    unless: "none; required with a secret or key set",
  }),
};

/** Returns a sentence for each customer-token setting that is missing or conflicts with another. */
export function findCustomerProblems(
  isSet: (name: keyof typeof customerShape) => boolean,
): readonly string[] {
  const keys = (["CUSTOMER_JWT_SECRET", "CUSTOMER_JWKS_URL"] as const).filter(isSet);
  const names = (["CUSTOMER_JWT_ISSUER", "CUSTOMER_JWT_AUDIENCE"] as const).filter(isSet);
  const [key] = keys;
  if (keys.length === 2) {
    return [
      "CUSTOMER_JWT_SECRET and CUSTOMER_JWKS_URL are both set, but customers' tokens are checked with only one of them. Unset the other.",
    ];
  }
  if (key === undefined) {
    return names.map(
      (name) =>
        `${name} is set, but no key to check customers' tokens with. Set CUSTOMER_JWT_SECRET or CUSTOMER_JWKS_URL as well, or unset it.`,
    );
  }
  const claims = { CUSTOMER_JWT_ISSUER: "iss", CUSTOMER_JWT_AUDIENCE: "aud" };
  return Object.entries(claims)
    .filter(([name]) => !names.includes(name as keyof typeof claims))
    .map(
      ([name, claim]) =>
        `${name} is not set, but ${key} is. Without it, the server would accept tokens that are not meant for it. Set it to the \`${claim}\` of your issuer's tokens.`,
    );
}
