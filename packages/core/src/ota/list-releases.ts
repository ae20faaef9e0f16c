import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { ReleaseStatus } from "../contract/index.js";
import type { Failure } from "../failure.js";
import { badCursor, type PageQuery, parseCursor, toPage } from "../page.js";
import { toStorableText } from "../storable-text.js";
import type { Release } from "./release.js";

export interface ReleaseQuery extends PageQuery {
  readonly targetHardware?: string | undefined;
  readonly rolloutChannel?: string | undefined;
}

/** A page of releases, and the active ones that tell which are the latest. */
export interface ReleasePage {
  readonly releases: readonly Release[];
  readonly active: readonly Release[];
  readonly nextCursor: string | null;
}

const everyStatus: readonly ReleaseStatus[] = ["draft", "active", "paused", "withdrawn"];

/** Lists releases, newest first (contract §7, §8). */
export async function listReleases(
  { store, releaseCatalog }: GatewayContext,
  { limit, cursor, targetHardware = undefined, rolloutChannel = undefined }: ReleaseQuery,
  status?: ReleaseStatus,
): Promise<Result<ReleasePage, Failure<"invalid_request">>> {
  const position = parseCursor(cursor, String(Number.MAX_SAFE_INTEGER));
  if (position.isErr()) return err(position.error);
  const before = Number(position.value);
  if (!Number.isSafeInteger(before)) return err(badCursor);
  const found = await store.releases.list({
    targetHardware: targetHardware === undefined ? null : toStorableText(targetHardware),
    rolloutChannel: rolloutChannel ?? null,
    statuses: status === undefined ? everyStatus : [status],
    before,
    limit: limit + 1,
  });
  const { page, nextCursor } = toPage(found, limit, ({ id }) => String(id));
  return ok({ releases: page, active: await releaseCatalog.list(), nextCursor });
}
