import type { OperatorRelease } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { call, type Reply } from "../../api/call.js";
import { releaseStatusLabels } from "../../firmware/state-labels.js";
import { Link } from "../../router.js";
import { isOperator } from "../../session.js";
import * as releasesText from "../../text/releases.js";
import { formatDate } from "../../ui/format.js";
import { Badge, Card, EmptyState, Skeleton } from "../../ui/parts.js";
import { StaleNotice } from "../../ui/stale-notice.js";
import { useTitle } from "../../ui/title.js";
import { useLoad, useRefreshed } from "../../ui/use-load.js";
import { OperatorsOnly } from "./operators-only.js";

const refreshMs = 30_000;

interface Releases {
  readonly releases: readonly OperatorRelease[];
  /** How many pages were asked for. */
  readonly pages: number;
  readonly hasMore: boolean;
}

/** Reads the newest releases, in pages. */
async function readReleases(pages: number, signal: AbortSignal): Promise<Reply<Releases>> {
  const releases: OperatorRelease[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const reply = await call("listReleases", { query: { cursor }, signal });
    if (!reply.ok) return reply;
    releases.push(...reply.value.releases);
    cursor = reply.value.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  const value = { releases, pages, hasMore: cursor !== undefined };
  return { ok: true, value, etag: undefined };
}

const PublishLink = ({ primary }: { primary: boolean }) => (
  <Link to="/releases/new" class={`button ${primary ? "primary" : ""}`}>
    {releasesText.publishRelease}
  </Link>
);

const Row = ({ release }: { release: OperatorRelease }) => {
  const [words, tone] = releaseStatusLabels[release.status];
  return (
    <tr>
      <td class="name">
        <Link to={`/releases/${release.id}`}>{release.version}</Link>
        <div class="small muted">{release.targetHardware}</div>
      </td>
      <td>
        <Badge tone={release.haltedAt ? "bad" : tone}>
          {release.haltedAt ? releasesText.pausedAutomatically : words}
        </Badge>{" "}
        {release.isLatest && <Badge>{releasesText.latest}</Badge>}
      </td>
      <td>{release.rolloutChannel}</td>
      <td>{release.rolloutPercent}%</td>
      <td class="muted time">{formatDate(release.releasedAt)}</td>
    </tr>
  );
};

export function ReleasesPage() {
  useTitle(releasesText.releases);
  const [pages, setPages] = useState(1);
  const loaded = useRefreshed(
    useLoad("releases", (signal) => readReleases(pages, signal)),
    refreshMs,
  );
  if (!isOperator.value) return <OperatorsOnly />;
  const { value, failure, reload } = loaded;
  const releases = value?.releases;
  const showMore = () => {
    setPages((value?.pages ?? 0) + 1);
    reload();
  };
  const none = releases?.length === 0;
  return (
    <>
      <div class="head">
        <h1>{releasesText.releases}</h1>
        {!none && <PublishLink primary={true} />}
      </div>
      <div class="stack">
        <StaleNotice {...loaded} />
        <Card flush>
          {releases === undefined && !failure && <Skeleton height={240} />}
          {none && (
            <EmptyState title={releasesText.noReleasesYet} actions={<PublishLink primary={true} />}>
              <p>{releasesText.noReleasesHint}</p>
            </EmptyState>
          )}
          {releases && releases.length > 0 && (
            <table class="table links stacked fixed releases">
              <thead>
                <tr>
                  <th scope="col" class="wide">
                    {releasesText.version}
                  </th>
                  <th scope="col" class="state">
                    {releasesText.status}
                  </th>
                  <th scope="col">{releasesText.channel}</th>
                  <th scope="col">{releasesText.rollout}</th>
                  <th scope="col">{releasesText.released}</th>
                </tr>
              </thead>
              <tbody>
                {releases.map((release) => (
                  <Row key={release.id} release={release} />
                ))}
              </tbody>
            </table>
          )}
        </Card>
        {value?.hasMore && (
          <div>
            <button type="button" class="button" onClick={showMore}>
              {releasesText.showMore}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
