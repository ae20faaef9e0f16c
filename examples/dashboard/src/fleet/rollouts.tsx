import type { OperatorRelease, OtaState } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type Body, type CallFailure, call, type Reply } from "../api/call.js";
import { updateStateLabels } from "../firmware/state-labels.js";
import { Link } from "../router.js";
import * as glanceText from "../text/glance.js";
import * as releasesText from "../text/releases.js";
import { formatCount } from "../ui/format.js";
import { Badge, ErrorNotice, type Tone } from "../ui/parts.js";
import { StaleNotice } from "../ui/stale-notice.js";
import { showToast } from "../ui/toast.js";
import { useLoad, useRefreshed } from "../ui/use-load.js";

/** The most rollouts that are shown. */
const maxShown = 2;
/** The most releases of each status that are read. */
const maxRead = 100;
const refreshMs = 30_000;

type Rollout = Body<"readRelease">;

/**
 * Reads the newest rollouts with their counts, those that paused automatically first. Those that the user has paused here
 * are kept, so that no other one moves under the pointer.
 */
async function readRollouts(
  signal: AbortSignal,
  kept: readonly number[],
): Promise<Reply<readonly Rollout[]>> {
  // Newer drafts and withdrawn releases must not hide a rollout.
  const lists = await Promise.all(
    (["active", "paused"] as const).map((status) =>
      call("listReleases", { query: { status, limit: maxRead }, signal }),
    ),
  );
  const unread = lists.find((list) => !list.ok);
  if (unread) return unread;
  const shown = lists
    .flatMap((list) => (list.ok ? list.value.releases : []))
    .filter(
      ({ id, status, haltedAt }) => status === "active" || haltedAt !== null || kept.includes(id),
    )
    .sort((a, b) => Number(b.haltedAt !== null) - Number(a.haltedAt !== null) || b.id - a.id)
    .slice(0, maxShown);
  const replies = await Promise.all(
    shown.map(({ id }) => call("readRelease", { params: { releaseId: id }, signal })),
  );
  const value = replies.flatMap((reply) => (reply.ok ? [reply.value] : []));
  return replies.find((reply) => !reply.ok) ?? { ok: true, value, etag: undefined };
}

interface ProgressProps {
  readonly rollout: Rollout;
  /** Whether the user has paused it here. Its button then keeps the focus, and does nothing. */
  readonly kept: boolean;
  /** Whether a rollout is being paused. */
  readonly busy: boolean;
  /** Pauses the rollout. */
  readonly onPause: () => void;
}

/** Says that a rollout is paused, or how many devices are offered the release. */
function describeRollout({ status, haltedAt, rolloutPercent }: OperatorRelease): string {
  if (haltedAt !== null) return glanceText.pausedAutomatically;
  return status === "paused" ? glanceText.paused : glanceText.shareOfDevices(rolloutPercent);
}

function Progress({ rollout, kept, busy, onPause }: ProgressProps) {
  const { release } = rollout;
  const isActive = release.status === "active";
  const disabled = busy || !isActive;
  const counts = Object.entries(rollout.counts) as [OtaState, number][];
  const inTone = (tone: Tone) =>
    counts.reduce((sum, [state, n]) => sum + (updateStateLabels[state][1] === tone ? n : 0), 0);
  const [open, good, bad] = [inTone("accent"), inTone("good"), inTone("bad")];
  return (
    <li>
      <div class="between">
        <Link to={`/releases/${release.id}`}>
          {glanceText.releaseFor(release.version, release.targetHardware)}
        </Link>
        <span class="actions">
          <Badge tone={release.haltedAt ? "bad" : "plain"}>{describeRollout(release)}</Badge>
          {(isActive || kept) && (
            <button
              type="button"
              class="button small"
              aria-label={glanceText.pauseNamed(release.version, release.targetHardware)}
              aria-disabled={disabled}
              onClick={() => !disabled && onPause()}
            >
              {glanceText.pause}
            </button>
          )}
        </span>
      </div>
      <div class="count-bar" aria-hidden="true">
        <span class="good" style={{ flexGrow: good }} />
        <span class="accent" style={{ flexGrow: open }} />
        <span class="bad" style={{ flexGrow: bad }} />
      </div>
      <p class="small muted">
        {glanceText.rolloutCounts(formatCount(good), formatCount(open), formatCount(bad))}
      </p>
    </li>
  );
}

/** Shows how the newest rollouts go. */
export function Rollouts() {
  const [paused, setPaused] = useState<readonly number[]>([]);
  const loaded = useRefreshed(
    useLoad("rollouts", (signal) => readRollouts(signal, paused)),
    refreshMs,
  );
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const pause = async ({ id: releaseId }: OperatorRelease) => {
    setBusy(true);
    const body = { status: "paused" } as const;
    const reply = await call("changeRelease", { params: { releaseId }, body });
    setBusy(false);
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) {
      setPaused((before) => [...before, releaseId]);
      showToast(releasesText.paused);
    }
    loaded.reload();
  };
  return (
    <div class="glance-part">
      <h2 class="small muted">{glanceText.rollouts}</h2>
      <StaleNotice {...loaded} />
      <ErrorNotice failure={failure} />
      {loaded.value?.length === 0 && <p class="small muted">{glanceText.noRollouts}</p>}
      <ul class="rollouts">
        {loaded.value?.map((rollout) => (
          <Progress
            key={rollout.release.id}
            rollout={rollout}
            kept={paused.includes(rollout.release.id)}
            busy={busy}
            onPause={() => void pause(rollout.release)}
          />
        ))}
      </ul>
    </div>
  );
}
