import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { WebhookAttemptAnswer, WebhookMessageAnswer } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { User } from "../user/user.js";
import { findWebhook } from "./manage-webhooks.js";
import { toAttemptAnswer, toMessageAnswer } from "./webhook-answers.js";

type NotFound = Failure<"webhooks_not_enabled" | "webhook_not_found">;

/** Returns the latest attempts of an endpoint. */
export async function listWebhookAttempts(
  context: GatewayContext,
  user: User,
  input: { readonly id: string; readonly limit: number },
): Promise<Result<WebhookAttemptAnswer[], NotFound>> {
  const found = await findWebhook(context, user, input.id);
  if (found.isErr()) return err(found.error);
  return ok((await found.value.manager.attempts(input)).map(toAttemptAnswer));
}

/** Returns the messages of an endpoint that wait for an attempt, or were given up. */
export async function listWebhookMessages(
  context: GatewayContext,
  user: User,
  input: { readonly id: string; readonly state: "waiting" | "dead"; readonly limit: number },
): Promise<Result<WebhookMessageAnswer[], NotFound>> {
  const found = await findWebhook(context, user, input.id);
  if (found.isErr()) return err(found.error);
  const messages = await found.value.manager.messages(input);
  return ok(messages.map((message) => toMessageAnswer(message, input.state)));
}

/** Sends one dead letter again, or all of them. Returns how many. */
export async function retryWebhookMessages(
  context: GatewayContext,
  user: User,
  { id, messageId }: { readonly id: string; readonly messageId?: string | undefined },
): Promise<Result<number, NotFound | Failure<"webhook_message_not_found">>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const count = await found.value.manager.retryDead({ id, messageId });
  if (messageId !== undefined && count === 0) return err({ code: "webhook_message_not_found" });
  return ok(count);
}

/** Sends a test message to an endpoint. Returns its id. */
export async function testWebhook(
  context: GatewayContext,
  user: User,
  id: string,
): Promise<Result<string, NotFound | Failure<"webhook_disabled">>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const tested = await found.value.manager.test({ id });
  if (tested.kind === "unknown") return err({ code: "webhook_not_found" });
  return tested.kind === "disabled" ? err({ code: "webhook_disabled" }) : ok(tested.messageId);
}
