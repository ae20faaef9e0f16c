import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";
/** Bytes of a new secret. Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** Creates a signing secret in the form of Standard Webhooks: `whsec_` and base64. */
export const createWebhookSecret = (): string =>
  prefix + randomBytes(secretBytes).toString("base64");

/** A message as it is sent. */
export interface SignedMessage {
  /** The same in every attempt. */
  readonly messageId: string;
  /** Time of the attempt, in seconds since 1970-01-01T00:00:00Z. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Returns the value of `webhook-signature`: a signature with each secret, separated by spaces (Standard Webhooks,
 * symmetric, v1).
 */
export function signMessage(message: SignedMessage, secrets: readonly string[]): string {
  const { messageId, timestamp, body } = message;
  const content = `${messageId}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  });
  return signatures.join(" ");
}
