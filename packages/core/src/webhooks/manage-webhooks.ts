import { err, ok, type Result } from "neverthrow";
import { eventKinds, ownerEventKinds, type SecurityEventKind } from "../audit/security-event.js";
import type { GatewayContext } from "../context.js";
import type {
  NewWebhook,
  WebhookAnswer,
  WebhookChangesRequest,
  WebhookFilterRequest,
} from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { parseTimestamp } from "../shared/timestamp.js";
import { mayManage, type OwnerScope, ownerOfScope } from "../user/owner-of-scope.js";
import type { User } from "../user/user.js";
import type { WebhookFilter } from "./webhook.js";
import { toWebhookAnswer } from "./webhook-answers.js";
import type { InvalidWebhook, WebhookManager, WebhookView } from "./webhook-manager.js";

type Off = Failure<"webhooks_not_enabled">;
type NotFound = Failure<"webhooks_not_enabled" | "webhook_not_found">;
type Invalid = Failure<"invalid_request">;

/** An endpoint of the caller, and the manager that changes it. */
export interface FoundWebhook {
  readonly manager: WebhookManager;
  readonly endpoint: WebhookView;
}

const off: Off = { code: "webhooks_not_enabled" };
const notFound = { code: "webhook_not_found" } as const;

const toInvalid = ({ path, message }: InvalidWebhook): Invalid => ({
  code: "invalid_request",
  errors: [{ path, code: "invalid_value", message }],
});

/** The manager refuses kinds that do not exist. */
const toFilter = ({ kinds, ...lists }: WebhookFilterRequest): WebhookFilter => ({
  ...lists,
  kinds: kinds as SecurityEventKind[],
});

function findManager(
  { webhooks }: GatewayContext,
  user: User,
  scope: OwnerScope,
): Result<
  { readonly manager: WebhookManager; readonly ownerId: string | null },
  Failure<"webhooks_not_enabled" | "forbidden">
> {
  return ownerOfScope(user, scope).andThen((ownerId) =>
    webhooks === null || (ownerId !== null && !webhooks.forOwners)
      ? err(off)
      : ok({ manager: webhooks, ownerId }),
  );
}

/** Finds an endpoint of the caller, or of the operators if the caller is one. */
export async function findWebhook(
  { webhooks: manager }: GatewayContext,
  user: User,
  id: string,
): Promise<Result<FoundWebhook, NotFound>> {
  if (manager === null) return err(off);
  const endpoint = (await manager.list()).find((each) => each.id === id);
  const isVisible =
    endpoint !== undefined &&
    mayManage(user, endpoint) &&
    (endpoint.ownerId === null || manager.forOwners);
  return isVisible ? ok({ manager, endpoint }) : err(notFound);
}

/** Returns the caller's endpoints, or those of the operators, and the kinds of events. */
export async function listWebhooks(
  context: GatewayContext,
  user: User,
  scope: OwnerScope,
): Promise<
  Result<
    { webhooks: WebhookAnswer[]; kinds: string[] },
    Failure<"webhooks_not_enabled" | "forbidden">
  >
> {
  const found = findManager(context, user, scope);
  if (found.isErr()) return err(found.error);
  const { manager, ownerId } = found.value;
  const theirs = (await manager.list()).filter((each) => each.ownerId === ownerId);
  const kinds = ownerId === null ? eventKinds : ownerEventKinds;
  return ok({ webhooks: theirs.map(toWebhookAnswer), kinds: [...kinds] });
}

/** Creates an endpoint of the caller, or of the operators. */
export async function createWebhook(
  context: GatewayContext,
  user: User,
  { scope, url, filter }: NewWebhook & { readonly scope: OwnerScope },
  origin: RequestOrigin,
): Promise<
  Result<
    { webhook: WebhookAnswer; secret: string },
    Failure<"webhooks_not_enabled" | "forbidden" | "invalid_request" | "too_many_webhooks">
  >
> {
  const found = findManager(context, user, scope);
  if (found.isErr()) return err(found.error);
  const { manager, ownerId } = found.value;
  const wanted = { url, filter: toFilter(filter), ownerId, actor: user.id, origin };
  const created = await manager.create(wanted);
  if (created.kind === "invalid") return err(toInvalid(created));
  if (created.kind === "full") return err({ code: "too_many_webhooks" });
  return ok({ webhook: toWebhookAnswer(created.endpoint), secret: created.secret });
}

/** Changes the given fields of an endpoint. */
export async function changeWebhook(
  context: GatewayContext,
  user: User,
  { id, changes }: { readonly id: string; readonly changes: WebhookChangesRequest },
  origin: RequestOrigin,
): Promise<Result<WebhookAnswer, NotFound | Invalid>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const { filter, ...others } = changes;
  const changed = await found.value.manager.change({
    ...{ ...others, filter: filter && toFilter(filter) },
    ...{ id, actor: user.id, origin },
  });
  if (changed.kind === "invalid") return err(toInvalid(changed));
  return changed.kind === "unknown" ? err(notFound) : ok(toWebhookAnswer(changed.endpoint));
}

/** Deletes an endpoint with its history. */
export async function removeWebhook(
  context: GatewayContext,
  user: User,
  id: string,
  origin: RequestOrigin,
): Promise<Result<void, NotFound>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const { kind } = await found.value.manager.remove({ id, actor: user.id, origin });
  return kind === "unknown" ? err(notFound) : ok(undefined);
}

/** Replaces the secret of an endpoint. Returns the new one. */
export async function rotateWebhookSecret(
  context: GatewayContext,
  user: User,
  id: string,
  origin: RequestOrigin,
): Promise<Result<string, NotFound>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const rotated = await found.value.manager.rotateSecret({ id, actor: user.id, origin });
  return rotated.kind === "unknown" ? err(notFound) : ok(rotated.secret);
}

/** Sends all events since a time again. */
export async function replayWebhook(
  context: GatewayContext,
  user: User,
  { id, from }: { readonly id: string; readonly from: string | number },
  origin: RequestOrigin,
): Promise<Result<WebhookAnswer, NotFound>> {
  const found = await findWebhook(context, user, id);
  if (found.isErr()) return err(found.error);
  const time = parseTimestamp(from) ?? 0;
  const input = { id, from: time, actor: user.id, origin };
  const replayed = await found.value.manager.replay(input);
  return replayed.kind === "unknown" ? err(notFound) : ok(toWebhookAnswer(replayed.endpoint));
}
