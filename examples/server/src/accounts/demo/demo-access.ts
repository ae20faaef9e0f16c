import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Checks who may use the demo: anybody who has the link that the server printed at this start. */
export interface DemoAccess {
  /** 128 random bits. Valid until the server stops, any number of times. */
  readonly token: string;
  /** Returns whether the offered token is correct. Compares in constant time. */
  admits(offered: unknown): boolean;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Creates the demo token of this start. It is kept in memory only and never logged. */
export function createDemoAccess(): DemoAccess {
  const token = randomBytes(16).toString("base64url");
  const expected = digest(token);
  return {
    token,
    admits: (offered) => typeof offered === "string" && timingSafeEqual(digest(offered), expected),
  };
}
