import type { OperatorRelease } from "@device-gateway/core/contract";
import { useRef, useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { CheckOffer } from "../../firmware/check-offer.js";
import { MissingImage } from "../../firmware/missing-image.js";
import { type NextStatus, RolloutActions } from "../../firmware/rollout-actions.js";
import { RolloutCounts } from "../../firmware/rollout-counts.js";
import { RolloutForm } from "../../firmware/rollout-form.js";
import { releaseStatusLabels } from "../../firmware/state-labels.js";
import { isOperator } from "../../session.js";
import * as releasesText from "../../text/releases.js";
import { formatBytes, formatTime } from "../../ui/format.js";
import { Badge, Card, ErrorNotice, Notice, Skeleton } from "../../ui/parts.js";
import { StaleNotice } from "../../ui/stale-notice.js";
import { useTitle } from "../../ui/title.js";
import { showToast } from "../../ui/toast.js";
import { useLoad, useRefreshed } from "../../ui/use-load.js";
import { OperatorsOnly } from "./operators-only.js";

const refreshMs = 5_000;

function Facts({ release }: { release: OperatorRelease }) {
  const facts: readonly (readonly [string, string])[] = [
    [releasesText.hardware, release.targetHardware],
    [releasesText.channel, release.rolloutChannel],
    [releasesText.released, formatTime(release.releasedAt)],
    [
      releasesText.image,
      release.hasImage
        ? formatBytes(release.size)
        : releasesText.notUploaded(formatBytes(release.size)),
    ],
    [releasesText.signedWith, `${release.signingKeyId}, ${release.signatureAlgorithm}`],
    [releasesText.minimumVersion, release.minVersion ?? releasesText.none],
    [releasesText.mandatory, release.mandatory ? releasesText.yes : releasesText.no],
    [
      releasesText.firstActivated,
      release.activatedAt === null ? releasesText.never : formatTime(release.activatedAt),
    ],
  ];
  return (
    <Card title={releasesText.about}>
      <dl class="facts">
        {facts.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
        <dt>{releasesText.sha256}</dt>
        <dd class="mono">{release.sha256}</dd>
      </dl>
    </Card>
  );
}

export function ReleasePage({ releaseId }: { releaseId: string }) {
  const loaded = useRefreshed(
    useLoad(releaseId, (signal) => call("readRelease", { params: { releaseId }, signal })),
    refreshMs,
  );
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const head = useRef<HTMLDivElement>(null);
  const release = loaded.value?.release;
  useTitle(release ? releasesText.titleOf(release.version) : releasesText.title);
  if (!isOperator.value) return <OperatorsOnly />;
  if (release === undefined) {
    return loaded.failure ? (
      <ErrorNotice failure={loaded.failure} retry={loaded.reload} />
    ) : (
      <Skeleton height={480} />
    );
  }
  const setStatus = async (status: NextStatus, done: string) => {
    const reply = await call("changeRelease", { params: { releaseId }, body: { status } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(done);
    // The buttons of a withdrawn release are removed, and one of them has the focus.
    if (reply.ok && status === "withdrawn" && head.current?.contains(document.activeElement))
      head.current.querySelector("h1")?.focus();
    loaded.reload();
  };
  const { status, haltedAt } = release;
  const [words, tone] = releaseStatusLabels[status];
  return (
    <>
      <div class="head" ref={head}>
        <div class="head-text">
          <h1 tabIndex={-1}>{releasesText.releaseFor(release.version, release.targetHardware)}</h1>
          <p class="device-line">
            <Badge tone={haltedAt ? "bad" : tone}>
              {haltedAt ? releasesText.pausedAutomatically : words}
            </Badge>
            <span class="muted">{releasesText.shareOfDevices(release.rolloutPercent)}</span>
            {release.isLatest && <Badge>{releasesText.latest}</Badge>}
          </p>
        </div>
        <RolloutActions release={release} onChange={setStatus} />
      </div>
      <div class="columns">
        <div class="stack">
          <StaleNotice {...loaded} />
          <ErrorNotice failure={failure} />
          {haltedAt && <Notice tone="bad">{releasesText.haltedHint(formatTime(haltedAt))}</Notice>}
          {!release.hasImage && !release.externalUrl && status !== "withdrawn" && (
            <MissingImage release={release} onDone={loaded.reload} />
          )}
          {status !== "draft" && <RolloutCounts counts={loaded.value?.counts ?? {}} />}
          {status !== "withdrawn" && (
            <RolloutForm key={release.rolloutPercent} release={release} onDone={loaded.reload} />
          )}
          <CheckOffer releaseId={release.id} />
          {release.notes && (
            <Card title={releasesText.releaseNotes}>
              <p class="mail">{release.notes}</p>
            </Card>
          )}
        </div>
        <Facts release={release} />
      </div>
    </>
  );
}
