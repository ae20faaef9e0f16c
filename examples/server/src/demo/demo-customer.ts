import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { SignJWT } from "jose";
import { z } from "zod";
import { readFileIfAny, writePrivateFile } from "../private-file.js";

const DemoIssuer = z.object({ secret: z.string().min(43) });

/** What the demo customer's tokens say, and the server asks of them. */
export const demoIssuer = { issuer: "demo", audience: "device-gateway" } as const;
const demoCustomer = "demo-customer";
const tokenDays = 30;

/** Where the demo customer's token lies, so that commands need not show it. */
export const demoTokenFile = (folder: string) => join(folder, "demo-customer.token");

/** The secret of an earlier start, or a new one; nothing but tokens of the demo depends on it. */
async function loadOrCreateSecret(file: string): Promise<string> {
  const text = await readFileIfAny(file);
  try {
    if (text !== undefined) return DemoIssuer.parse(JSON.parse(text)).secret;
  } catch {
    // Damaged: as good as none.
  }
  const secret = randomBytes(32).toString("base64url");
  await writePrivateFile(file, `${JSON.stringify({ secret }, null, 2)}\n`);
  return secret;
}

/**
 * Plays the issuer of customers' tokens: makes a secret at the first start, and at each a token
 * for the demo customer, good for 30 days. Gives the secret to check tokens with.
 */
export async function createDemoCustomer(folder: string): Promise<string> {
  const secret = await loadOrCreateSecret(join(folder, "demo-customer.json"));
  const token = await new SignJWT({ email_verified: true })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(demoCustomer)
    .setIssuer(demoIssuer.issuer)
    .setAudience(demoIssuer.audience)
    .setIssuedAt()
    .setExpirationTime(`${tokenDays} days`)
    .sign(new TextEncoder().encode(secret));
  await writePrivateFile(demoTokenFile(folder), `${token}\n`);
  return secret;
}
