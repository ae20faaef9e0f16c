import { base64Url, signatureOf, signingInput, signToken } from "./sign.js";
import { bearer, type Forgery, type Target, withClaims, withHeader } from "./target.js";

/**
 * Returns tokens that a trusted key signed for another purpose or time: wrong audience, issuer, expiry, type
 * and so on. The gateway must refuse all of them. Also malformed tokens.
 */
export function forgeClaims(target: Target): Forgery[] {
  const signed = (name: string, parts: Parameters<typeof signToken>[0]) =>
    bearer(`${name}, genuinely signed`, signToken(parts, target.key));
  const claims = (name: string, change: object) => signed(name, withClaims(target, change));
  const header = (name: string, change: object) => signed(name, withHeader(target, change));
  const shown = (value: unknown) => JSON.stringify(value) ?? "missing";
  const { now, parts } = target;
  const audience = String(parts.claims["aud"]);
  const issuer = String(parts.claims["iss"]);

  const audiences = [
    undefined,
    null,
    "",
    "other",
    `${audience}x`,
    `x${audience}`,
    audience.toUpperCase(),
    [],
    ["other"],
    [[audience]],
    { 0: audience },
    7,
    true,
  ];
  const issuers = [
    undefined,
    null,
    "",
    "other",
    `${issuer}/`,
    ` ${issuer}`,
    issuer.toUpperCase(),
    [issuer],
    { a: issuer },
    7,
  ];
  const expiries = [
    undefined,
    null,
    now - 1,
    now,
    now - 31_536_000,
    0,
    -1,
    String(now + 1000),
    "never",
    [now + 1000],
    true,
  ];
  const starts = [now + 1, now + 3600, now + 31_536_000, "soon", null, [now - 10], true];
  const subjects = [undefined, null, "", 7, ["a"], { a: 1 }, true];
  const types = [
    undefined,
    "JWT",
    "jwt",
    "",
    "at+jwt",
    "device",
    "device+jwt ",
    "customer+jwt",
    null,
    7,
    ["device+jwt"],
  ];
  const keyIds = [
    undefined,
    "unknown",
    "",
    "../../../../dev/null",
    "__proto__",
    "constructor",
    "' OR 1=1 --",
    null,
    7,
    ["a"],
    { a: 1 },
  ];
  const critical = [["exp"], ["x"], ["alg"], [], "exp", [7], null, ["b64"]];

  return [
    ...audiences.map((aud) => claims(`aud ${shown(aud)}`, { aud })),
    ...issuers.map((iss) => claims(`iss ${shown(iss)}`, { iss })),
    ...expiries.map((exp) => claims(`exp ${shown(exp)}`, { exp })),
    ...starts.map((nbf) => claims(`nbf ${shown(nbf)}`, { nbf })),
    ...subjects.map((sub) => claims(`sub ${shown(sub)}`, { sub })),
    ...(target.pinsType ? types.map((typ) => header(`typ ${shown(typ)}`, { typ })) : []),
    ...(target.pinsKeyId ? keyIds.map((kid) => header(`kid ${shown(kid)}`, { kid })) : []),
    ...critical.map((crit) => header(`crit ${shown(crit)}`, { crit, x: 1, exp: 1 })),
    header("crit b64, payload not encoded", { crit: ["b64"], b64: false }),
    signed("claims that are an array", { header: parts.header, claims: "[]" }),
    signed("claims that are null", { header: parts.header, claims: "null" }),
    signed("claims that are text", { header: parts.header, claims: '"text"' }),
    signed("claims that are not JSON", { header: parts.header, claims: "{sub:1" }),
    signed("no claims", { header: parts.header, claims: "" }),
    signed("a header that is an array", { header: "[]", claims: parts.claims }),
    signed("a header that is not JSON", { header: "{alg", claims: parts.claims }),
    ...malformed(target),
  ];
}

/** Returns genuine tokens that are cut, reordered, extended or wrapped. */
function malformed(target: Target): Forgery[] {
  const genuine = signToken(target.parts, target.key);
  const [header, claims, signature] = genuine.split(".") as [string, string, string];
  const raw = (name: string, authorization: string): Forgery => ({ name, authorization });
  const input = signingInput(target.parts);
  const standard = signatureOf(target.key, input).toString("base64");
  return [
    bearer("two parts", `${header}.${claims}`),
    bearer("one part", header),
    bearer("four parts", `${genuine}.${signature}`),
    bearer("five parts, as a JWE", `${header}.${claims}.${signature}.${signature}.${signature}`),
    bearer(
      "a JWE's header",
      `${base64Url('{"alg":"dir","enc":"A256GCM"}')}..${signature}.${claims}.${signature}`,
    ),
    bearer("only dots", ".."),
    bearer("a dot", "."),
    bearer("a dot before", `.${genuine}`),
    bearer("a dot after", `${genuine}.`),
    bearer("the parts in another order", `${claims}.${header}.${signature}`),
    bearer("white space within", `${header}. ${claims}.${signature}`),
    bearer("a line break within", `${header}.\n${claims}.${signature}`),
    bearer("a tab after", `${genuine}\t`),
    bearer("a NUL after", `${genuine}\0`),
    bearer("quotes around", `"${genuine}"`),
    bearer("two tokens", `${genuine}, Bearer ${genuine}`),
    bearer("JSON serialisation", JSON.stringify({ payload: claims, signatures: [{ signature }] })),
    bearer("characters that are not base64url", `${header}.${claims}.${standard}!`),
    bearer("a very long signature", `${header}.${claims}.${"A".repeat(200_000)}`),
    bearer("a very long token", "A".repeat(1_000_000)),
    bearer("a million dots", ".".repeat(1_000_000)),
    bearer(
      "very long claims",
      signToken({ header: target.parts.header, claims: { pad: "x".repeat(300_000) } }, target.key),
    ),
    bearer(
      "claims nested deeply",
      signToken(
        { header: target.parts.header, claims: `${"[".repeat(50_000)}${"]".repeat(50_000)}` },
        target.key,
      ),
    ),
    bearer("percent-encoded", encodeURIComponent(genuine).replaceAll(".", "%2E")),
    raw("no token", "Bearer "),
    raw("no scheme", genuine),
    raw("another scheme", `Basic ${genuine}`),
    raw("a scheme that only starts with Bearer", `BearerX ${genuine}`),
    raw("the scheme twice", `Bearer Bearer ${genuine}`),
    raw("an empty header", ""),
  ];
}
