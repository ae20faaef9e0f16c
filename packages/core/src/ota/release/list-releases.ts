import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { ReleaseStatus } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { type PageQuery, parseIdCursor, toPage } from "../../shared/page.js";
import { toStorableText } from "../../shared/storable-text.js";
import type { Release } from "./release.js";

export interface ReleaseQuery extends PageQuery {
  readonly targetHardware?: string | undefined;
  readonly rolloutChannel?: string | undefined;
}

/** A page of releases, and the active releases, which decide which ones are the latest. */
export interface ReleasePage {
  readonly releases: readonly Release[];
  readonly active: readonly Release[];
  readonly nextCursor: string | null;
}

const everyStatus: readonly ReleaseStatus[] = ["draft", "active", "paused", "withdrawn"];

/** Lists releases, newest first (§7, §8). */
export async function listReleases(
  { store, releaseCatalog }: GatewayContext,
  { limit, cursor, targetHardware = undefined, rolloutChannel = undefined }: ReleaseQuery,
  status?: ReleaseStatus,
): Promise<Result<ReleasePage, Failure<"invalid_request">>> {
  const before = parseIdCursor(cursor, Number.MAX_SAFE_INTEGER);
  if (before.isErr()) return err(before.error);
  const found = await store.releases.list({
    targetHardware: targetHardware === undefined ? null : toStorableText(targetHardware),
    rolloutChannel: rolloutChannel ?? null,
    statuses: status === undefined ? everyStatus : [status],
    before: before.value,
    limit: limit + 1,
  });
  const { page, nextCursor } = toPage(found, limit, ({ id }) => String(id));
  return ok({ releases: page, active: await releaseCatalog.list(), nextCursor });
}
