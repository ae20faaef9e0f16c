import type { OperatorRelease, OtaState } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { updateStateLabels } from "../firmware/state-labels.js";
import { Link } from "../router.js";
import * as glanceText from "../text/glance.js";
import * as releasesText from "../text/releases.js";
import { formatCount } from "../ui/format.js";
import { Badge, ErrorNotice, type Tone } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useLoad } from "../ui/use-load.js";

/** The most rollouts that are shown. */
const maxShown = 2;

interface ProgressProps {
  readonly release: OperatorRelease;
  /** Pauses the rollout. */
  readonly onPause: () => void;
}

function Progress({ release, onPause }: ProgressProps) {
  const { value } = useLoad(String(release.id), (signal) =>
    call("readRelease", { params: { releaseId: release.id }, signal }),
  );
  const counts = Object.entries(value?.counts ?? {}) as [OtaState, number][];
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
          <Badge tone={release.haltedAt ? "bad" : "plain"}>
            {release.haltedAt
              ? glanceText.pausedAutomatically
              : glanceText.shareOfDevices(release.rolloutPercent)}
          </Badge>
          {release.status === "active" && (
            <button
              type="button"
              class="button small"
              aria-label={glanceText.pauseNamed(release.version, release.targetHardware)}
              onClick={onPause}
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

/** Shows how the newest rollouts go, those that paused automatically first. */
export function Rollouts() {
  const { value, reload } = useLoad("rollouts", (signal) =>
    call("listReleases", { query: { limit: 20 }, signal }),
  );
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const pause = async ({ id: releaseId }: OperatorRelease) => {
    const body = { status: "paused" } as const;
    const reply = await call("changeRelease", { params: { releaseId }, body });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(releasesText.paused);
    reload();
  };
  const shown = (value?.releases ?? [])
    .filter(({ status, haltedAt }) => status === "active" || haltedAt !== null)
    .sort((a, b) => Number(b.haltedAt !== null) - Number(a.haltedAt !== null))
    .slice(0, maxShown);
  return (
    <div class="glance-part">
      <h2 class="small muted">{glanceText.rollouts}</h2>
      <ErrorNotice failure={failure} />
      {value && shown.length === 0 && <p class="small muted">{glanceText.noRollouts}</p>}
      <ul class="rollouts">
        {shown.map((release) => (
          <Progress key={release.id} release={release} onPause={() => void pause(release)} />
        ))}
      </ul>
    </div>
  );
}
