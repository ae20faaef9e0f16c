import type { OperatorRelease } from "@device-gateway/core/contract";
import { useEffect, useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { CheckOffer } from "../firmware/check-offer.js";
import { MissingImage } from "../firmware/missing-image.js";
import { RolloutCounts } from "../firmware/rollout-counts.js";
import { RolloutForm } from "../firmware/rollout-form.js";
import { releaseStatusLabels } from "../firmware/state-labels.js";
import { isOperator } from "../session.js";
import { Confirm } from "../ui/confirm.js";
import { formatBytes, formatTime } from "../ui/format.js";
import { Badge, Card, ErrorNotice, Notice, Skeleton } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";
import { useLoad } from "../ui/use-load.js";
import { OperatorsOnly } from "./operators-only.js";

const refreshMs = 5_000;

type Status = "active" | "paused" | "withdrawn";

function Facts({ release }: { release: OperatorRelease }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Hardware", release.targetHardware],
    ["Channel", release.rolloutChannel],
    ["Released", formatTime(release.releasedAt)],
    [
      "Image",
      release.hasImage ? formatBytes(release.size) : `${formatBytes(release.size)}, not uploaded`,
    ],
    ["Signed with", `${release.signingKeyId}, ${release.signatureAlgorithm}`],
    ["Minimum version", release.minVersion ?? "none"],
    ["Mandatory", release.mandatory ? "yes" : "no"],
    ["First activated", release.activatedAt === null ? "never" : formatTime(release.activatedAt)],
  ];
  return (
    <Card title="About">
      <dl class="facts">
        {facts.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
        <dt>SHA-256</dt>
        <dd class="mono">{release.sha256}</dd>
      </dl>
    </Card>
  );
}

export function ReleasePage({ releaseId }: { releaseId: string }) {
  const loaded = useLoad(releaseId, (signal) =>
    call("readRelease", { params: { releaseId }, signal }),
  );
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [withdrawing, setWithdrawing] = useState(false);
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
  const release = loaded.value?.release;
  useTitle(release ? `Release ${release.version}` : "Release");
  if (!isOperator.value) return <OperatorsOnly />;
  if (release === undefined) {
    return loaded.failure ? (
      <ErrorNotice failure={loaded.failure} retry={loaded.reload} />
    ) : (
      <Skeleton height={480} />
    );
  }
  const setStatus = async (status: Status, done: string) => {
    setWithdrawing(false);
    const reply = await call("changeRelease", { params: { releaseId }, body: { status } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(done);
    loaded.reload();
  };
  const { status, haltedAt } = release;
  const [words, tone] = releaseStatusLabels[status];
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>
            {release.version} for {release.targetHardware}
          </h1>
          <p class="device-line">
            <Badge tone={haltedAt ? "bad" : tone}>
              {haltedAt ? "Paused automatically" : words}
            </Badge>
            <span class="muted">{release.rolloutPercent}% of devices</span>
            {release.isLatest && <Badge>latest</Badge>}
          </p>
        </div>
        <div class="actions">
          {(status === "draft" || status === "paused") && (
            <button
              type="button"
              class="button primary"
              onClick={() =>
                void setStatus("active", "Active. Devices are offered this release from now on.")
              }
            >
              {status === "draft" ? "Activate" : "Resume"}
            </button>
          )}
          {status === "active" && (
            <button
              type="button"
              class="button danger"
              onClick={() => void setStatus("paused", "Paused. No device is offered this release.")}
            >
              Pause rollout
            </button>
          )}
          {status !== "withdrawn" && (
            <button type="button" class="button quiet" onClick={() => setWithdrawing(true)}>
              Withdraw
            </button>
          )}
        </div>
      </div>
      <div class="columns">
        <div class="stack">
          <ErrorNotice failure={failure} />
          {haltedAt && (
            <Notice tone="bad">
              The rollout paused automatically on {formatTime(haltedAt)}, because too many updates
              failed. Find the cause before you resume it.
            </Notice>
          )}
          {!release.hasImage && !release.externalUrl && status !== "withdrawn" && (
            <MissingImage release={release} onDone={loaded.reload} />
          )}
          {status !== "draft" && <RolloutCounts counts={loaded.value?.counts ?? {}} />}
          {status !== "withdrawn" && (
            <RolloutForm key={release.rolloutPercent} release={release} onDone={loaded.reload} />
          )}
          <CheckOffer releaseId={release.id} />
          {release.notes && (
            <Card title="Release notes">
              <p class="mail">{release.notes}</p>
            </Card>
          )}
        </div>
        <Facts release={release} />
      </div>
      {withdrawing && (
        <Confirm
          title={`Withdraw ${release.version}?`}
          action="Withdraw release"
          onConfirm={() => void setStatus("withdrawn", "Release withdrawn.")}
          onCancel={() => setWithdrawing(false)}
        >
          <p class="muted">
            No device is offered this release any more, and you can't activate it again. To stop it
            for a while, pause the rollout instead.
          </p>
        </Confirm>
      )}
    </>
  );
}
