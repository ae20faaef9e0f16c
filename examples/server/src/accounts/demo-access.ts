import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may use the demo: whoever read the link that this start of the server printed. */
export interface DemoAccess {
  /** 128 random bits, valid until the server stops and as often as it is shown. */
  readonly token: string;
  /** Compares in constant time. */
  admits(offered: unknown): boolean;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Makes the demo's token of this start. It is kept in memory alone, and never logged. */
export function createDemoAccess(): DemoAccess {
  const token = randomBytes(16).toString("base64url");
  const expected = digest(token);
  return {
    token,
    admits: (offered) => typeof offered === "string" && timingSafeEqual(digest(offered), expected),
  };
}
