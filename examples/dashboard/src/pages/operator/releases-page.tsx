import type { OperatorRelease } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { releaseStatusLabels } from "../../firmware/state-labels.js";
import { Link } from "../../router.js";
import { isOperator } from "../../session.js";
import * as releasesText from "../../text/releases.js";
import { formatDate } from "../../ui/format.js";
import { Badge, Card, EmptyState, ErrorNotice, Skeleton } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { useLoad } from "../../ui/use-load.js";
import { OperatorsOnly } from "./operators-only.js";

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
  const [more, setMore] = useState<{ releases: OperatorRelease[]; cursor: string | null }>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const first = useLoad("releases", (signal) => call("listReleases", { signal }));
  if (!isOperator.value) return <OperatorsOnly />;
  const releases = more?.releases ?? first.value?.releases;
  const cursor = more ? more.cursor : (first.value?.nextCursor ?? null);
  const showMore = async () => {
    if (cursor === null || releases === undefined) return;
    const reply = await call("listReleases", { query: { cursor } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    const { nextCursor } = reply.value;
    setMore({ releases: [...releases, ...reply.value.releases], cursor: nextCursor });
  };
  const none = releases?.length === 0;
  return (
    <>
      <div class="head">
        <h1>{releasesText.releases}</h1>
        {!none && <PublishLink primary={true} />}
      </div>
      <div class="stack">
        <ErrorNotice failure={first.failure} retry={first.reload} />
        <Card flush>
          {releases === undefined && !first.failure && <Skeleton height={240} />}
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
        <ErrorNotice failure={failure} retry={() => void showMore()} />
        {cursor !== null && (
          <div>
            <button type="button" class="button" onClick={() => void showMore()}>
              {releasesText.showMore}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
