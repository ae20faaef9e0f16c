import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isPlaceholder } from "./placeholder-secret.js";
import { type Environment, readSettings } from "./read-settings.js";

const secret = { CUSTOMER_JWT_SECRET: randomBytes(32).toString("base64url") };
const keySet = { CUSTOMER_JWKS_URL: "https://id.example.com/.well-known/jwks.json" };
const issuer = { CUSTOMER_JWT_ISSUER: "https://id.example.com" };
const audience = { CUSTOMER_JWT_AUDIENCE: "device-gateway" };

function problemsOf(environment: Environment) {
  const reading = readSettings(environment);
  return reading.kind === "unusable" ? reading.problems : [];
}

describe("the settings for customers' tokens", () => {
  it.each([
    ["an empty environment", {}],
    ["a secret", { ...secret, ...issuer, ...audience }],
    ["a key set", { ...keySet, ...issuer, ...audience }],
    ["a key set over http", { CUSTOMER_JWKS_URL: "http://id:8080/certs", ...issuer, ...audience }],
    ["empty values", { CUSTOMER_JWT_SECRET: "", CUSTOMER_JWT_ISSUER: " " }],
  ])("accept %s", (_, environment) => {
    expect(problemsOf(environment)).toEqual([]);
  });

  it.each([
    ["both keys", { ...secret, ...keySet, ...issuer, ...audience }, ["Unset the other."]],
    [
      "a secret alone",
      secret,
      [
        "CUSTOMER_JWT_ISSUER is not set, but CUSTOMER_JWT_SECRET is",
        "CUSTOMER_JWT_AUDIENCE is not set, but CUSTOMER_JWT_SECRET is",
      ],
    ],
    ["no audience", { ...keySet, ...issuer }, ["Set it to the `aud` of your issuer's tokens."]],
    ["no key", issuer, ["CUSTOMER_JWT_ISSUER is set, but no key"]],
    ["an empty key", { ...audience, CUSTOMER_JWT_SECRET: "" }, ["Set CUSTOMER_JWT_SECRET or"]],
  ])("report what to do about %s", (_, environment, sentences) => {
    expect(problemsOf(environment)).toEqual(sentences.map((text) => expect.stringContaining(text)));
  });

  it.each([
    ["is too short", "x7Kq9", "is shorter than 32 bytes"],
    ["is a placeholder", "ChangeMe-please-before-production!", "is a placeholder"],
    ["has spaces around it", ` ${secret.CUSTOMER_JWT_SECRET}`, "starts or ends with whitespace"],
  ])("reject a secret that %s, and never show it", (_, value, sentence) => {
    const problems = problemsOf({ CUSTOMER_JWT_SECRET: value, ...issuer, ...audience });
    expect(problems).toEqual([expect.stringMatching(`^CUSTOMER_JWT_SECRET ${sentence}.*\\.`)]);
    expect(problems[0]).not.toContain(value.trim());
  });

  it.each(["id.example.com", "ftp://id.example.com", "https://me:planted@id.example.com"])(
    "reject the URL %s, and never show it",
    (url) => {
      const problems = problemsOf({ CUSTOMER_JWKS_URL: url, ...issuer, ...audience });
      expect(problems).toEqual([expect.stringContaining("CUSTOMER_JWKS_URL must be the http")]);
      expect(problems[0]).not.toContain(url);
    },
  );
});

describe("isPlaceholder", () => {
  it.each([
    "changeme-changeme-changeme-changeme",
    "your-256-bit-secret-goes-right-here",
    "a-string-secret-at-least-256-bits-long",
    "please_replace_me_with_a_real_one!",
    "0123456789abcdef0123456789abcdef",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "correct horse battery correct horse password",
  ])("recognises %s", (text) => {
    expect(isPlaceholder(text)).toBe(true);
  });

  it("accepts random secrets in any encoding", () => {
    for (let i = 0; i < 500; i++) {
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        expect(isPlaceholder(randomBytes(24).toString(encoding))).toBe(false);
      }
    }
  });
});
