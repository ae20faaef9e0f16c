import type { Dice } from "../dice.js";
import {
  base64Url,
  hmacOf,
  join,
  makeKey,
  publicBytes,
  signatureOf,
  signingInput,
  signToken,
  toPublicJwk,
} from "./sign.js";
import { bearer, type Forgery, type Target, withClaims, withHeader } from "./target.js";

/** Returns tokens without a valid signature: no signature, another algorithm's, another key's, or a broken one. */
export function forgeSignatures(target: Target, dice: Dice): Forgery[] {
  return [
    ...withoutSignature(target),
    ...swappedAlgorithms(target),
    ...foreignKeys(target),
    ...brokenSignatures(target, dice),
    ...changedContents(target, dice),
  ];
}

function withoutSignature(target: Target): Forgery[] {
  const genuine = signToken(target.parts, target.key);
  const signature = genuine.slice(genuine.lastIndexOf(".") + 1);
  const none = ["none", "None", "NONE", "nOnE", "", null, undefined].flatMap((alg) => {
    const input = signingInput(withHeader(target, { alg }));
    return [
      bearer(`alg ${String(alg)} without a signature`, `${input}.`),
      bearer(`alg ${String(alg)} with a genuine signature`, `${input}.${signature}`),
    ];
  });
  const input = signingInput(target.parts);
  return [
    ...none,
    bearer("an empty signature", `${input}.`),
    bearer("no signature at all", input),
    bearer("a signature of zeroes", join(input, Buffer.alloc(64))),
    bearer("a signature of ones", join(input, Buffer.alloc(64, 1))),
    bearer("a signature of 32 zeroes", join(input, Buffer.alloc(32))),
  ];
}

function swappedAlgorithms(target: Target): Forgery[] {
  const { key } = target;
  const others = [
    "HS256",
    "HS384",
    "HS512",
    "ES256",
    "ES384",
    "EdDSA",
    "Ed25519",
    "RS256",
    "PS256",
  ];
  const renamed = others
    .filter((alg) => alg !== key.alg && !(alg === "Ed25519" && key.alg === "EdDSA"))
    .map((alg) => {
      const parts = withHeader(target, { alg });
      return bearer(`alg says ${alg}, signed by ${key.alg}`, signToken(parts, key));
    });
  const hashes = { HS256: "sha256", HS384: "sha384", HS512: "sha512" } as const;
  const byPublicKey = publicBytes(key).flatMap(([what, bytes]) =>
    Object.entries(hashes).map(([alg, hash]) => {
      const input = signingInput(withHeader(target, { alg }));
      return bearer(
        `${alg} with the public key's ${what}`,
        join(input, hmacOf(hash, bytes, input)),
      );
    }),
  );
  const bySecret = Buffer.isBuffer(key.secret)
    ? (["HS384", "HS512"] as const).map((alg) => {
        const input = signingInput(withHeader(target, { alg }));
        const signature = hmacOf(hashes[alg], key.secret as Buffer, input);
        return bearer(`${alg} with the right secret`, join(input, signature));
      })
    : [];
  const guessable = ["", "secret", "null", "undefined", key.kid, "device-gateway"].map((word) => {
    const input = signingInput(withHeader(target, { alg: "HS256" }));
    return bearer(`HS256 with the secret "${word}"`, join(input, hmacOf("sha256", word, input)));
  });
  return [...renamed, ...byPublicKey, ...bySecret, ...guessable];
}

function foreignKeys(target: Target): Forgery[] {
  const { key, allKeys } = target;
  const attacker = makeKey(key.alg, key.kid);
  const es = makeKey("ES256", "attacker");
  const jwk = { ...toPublicJwk(es), alg: "ES256", kid: "attacker" };
  const embedded = { alg: "ES256", kid: "attacker", jwk };
  const url = "https://evil.example.com/jwks.json";
  const chain = [base64Url("not a certificate")];
  const byAttacker = [
    { what: "embedded jwk", header: embedded },
    { what: "embedded jwk under the right kid", header: { ...embedded, kid: key.kid } },
    { what: "embedded jwk without kid", header: { ...embedded, kid: undefined } },
    { what: "jku", header: { alg: "ES256", kid: "attacker", jku: url } },
    { what: "jku under the right kid", header: { alg: "ES256", jku: url } },
    { what: "x5u", header: { alg: "ES256", kid: "attacker", x5u: url } },
    { what: "x5c", header: { alg: "ES256", kid: "attacker", x5c: chain } },
    { what: "x5t", header: { alg: "ES256", kid: "attacker", x5t: base64Url("thumb") } },
  ].map(({ what, header }) => bearer(what, signToken(withHeader(target, header), es)));
  const mixedUp = allKeys
    .filter((other) => other !== key)
    .flatMap((other) => [
      bearer(
        `signed by ${other.alg}, under the name of ${key.alg}`,
        signToken(withHeader(target, {}), other),
      ),
      bearer(
        `signed by ${key.alg}, under the kid of ${other.alg}`,
        signToken(withHeader(target, { kid: other.kid }), key),
      ),
      bearer(
        `signed by ${key.alg}, under the alg of ${other.alg}`,
        signToken(withHeader(target, { alg: other.alg }), key),
      ),
    ]);
  return [
    bearer("another issuer's key under the right kid", signToken(target.parts, attacker)),
    ...byAttacker,
    ...mixedUp,
  ];
}

function brokenSignatures({ parts, key }: Target, dice: Dice): Forgery[] {
  const input = signingInput(parts);
  const signature = signatureOf(key, input);
  const flipped = Array.from({ length: 12 }, () => {
    const bytes = Buffer.from(signature);
    const at = dice.int(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.int(8));
    return bearer(`a bit of the signature's byte ${at} flipped`, join(input, bytes));
  });
  const lengths = [1, 8, 16, 31, signature.length - 1].map((length) =>
    bearer(
      `the first ${length} bytes of the signature`,
      join(input, signature.subarray(0, length)),
    ),
  );
  return [
    ...flipped,
    ...lengths,
    bearer("the signature twice", join(input, Buffer.concat([signature, signature]))),
    bearer("a byte after the signature", join(input, Buffer.concat([signature, Buffer.of(0)]))),
    bearer("the signature backwards", join(input, Buffer.from(signature).reverse())),
  ];
}

function changedContents(target: Target, dice: Dice): Forgery[] {
  const { parts, key, someoneElse, now } = target;
  const [header, claims, signature] = signToken(parts, key).split(".") as [string, string, string];
  const changes = {
    "another sub": { sub: someoneElse },
    "another epoch": { epoch: 2 ** 50 },
    "a later exp": { exp: now + 999_999_999 },
    "more roles": { roles: ["operator"] },
    "a verified e-mail": { email_verified: true, verified: 1 },
    "another aud beside": { aud: [parts.claims["aud"], "x"] },
  };
  const edited = Object.entries(changes).flatMap(([what, change]) => {
    const input = signingInput(withClaims(target, change));
    // An operator's token already has that role.
    if (input === signingInput(parts)) return [];
    return [bearer(`${what} under the old signature`, `${input}.${signature}`)];
  });
  const flipped = Array.from({ length: 12 }, () => {
    const inHeader = dice.chance(0.4);
    const bytes = Buffer.from(inHeader ? header : claims, "base64url");
    const at = dice.int(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.int(8));
    const part = base64Url(bytes);
    const token = inHeader ? `${part}.${claims}.${signature}` : `${header}.${part}.${signature}`;
    return bearer(`a bit of the ${inHeader ? "header" : "claims"}'s byte ${at} flipped`, token);
  });
  const text = JSON.stringify(parts.claims).slice(0, -1);
  const twice = `${text},"sub":${JSON.stringify(someoneElse)}}`;
  const algTwice = `{"alg":"none",${JSON.stringify(parts.header).slice(1)}`;
  return [
    ...edited,
    ...flipped,
    bearer("sub twice", `${header}.${base64Url(twice)}.${signature}`),
    bearer("alg twice, none first", `${base64Url(algTwice)}.${claims}.`),
    bearer("alg twice, none first, signed before", `${base64Url(algTwice)}.${claims}.${signature}`),
  ];
}
