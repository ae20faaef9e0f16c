import type { OperatorRelease, ReleaseStatus } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import * as releasesText from "../text/releases.js";
import { Confirm } from "../ui/confirm.js";
import { formatTime } from "../ui/format.js";

/** A status that an operator can set. */
export type NextStatus = Exclude<ReleaseStatus, "draft">;
/** The label of a button, its look, and what it does. */
type Action = readonly [string, "primary" | "danger", () => unknown];

interface RolloutActionsProps {
  readonly release: OperatorRelease;
  /** Sets the status of the release, and says `done` if that succeeds. */
  readonly onChange: (status: NextStatus, done: string) => Promise<void>;
}

/** Buttons that activate, pause, resume and withdraw a release. Resuming and withdrawing need a confirmation. */
export function RolloutActions({ release, onChange }: RolloutActionsProps) {
  const [asked, setAsked] = useState<"resume" | "withdraw" | undefined>();
  const [busy, setBusy] = useState(false);
  const { status, version, haltedAt } = release;
  if (status === "withdrawn") return null;
  const change = async (next: NextStatus, done: string) => {
    setAsked(undefined);
    setBusy(true);
    await onChange(next, done);
    setBusy(false);
  };
  /** The second click of a double click may find the button of the next status. It does nothing. */
  const onClick =
    (act: () => unknown) =>
    ({ detail }: MouseEvent) => {
      if (!busy && detail < 2) act();
    };
  const actions: Readonly<Record<Exclude<ReleaseStatus, "withdrawn">, Action>> = {
    draft: [releasesText.activate, "primary", () => change("active", releasesText.activated)],
    active: [releasesText.pauseRollout, "danger", () => change("paused", releasesText.paused)],
    // A click that is meant for "Pause rollout" may arrive after the rollout has halted.
    paused: [releasesText.resume, "primary", () => setAsked("resume")],
  };
  const [label, tone, act] = actions[status];
  return (
    <>
      {/* Both buttons keep the focus while a change is under way, so they are not disabled. */}
      <div class="actions">
        <button type="button" class={`button ${tone}`} aria-disabled={busy} onClick={onClick(act)}>
          {label}
        </button>
        <button
          type="button"
          class="button quiet"
          aria-disabled={busy}
          onClick={onClick(() => setAsked("withdraw"))}
        >
          {releasesText.withdraw}
        </button>
      </div>
      {asked === "resume" && (
        <Confirm
          title={releasesText.confirmResuming(version)}
          action={releasesText.resumeRollout}
          onConfirm={() => void change("active", releasesText.activated)}
          onCancel={() => setAsked(undefined)}
        >
          <p class="muted">
            {haltedAt ? releasesText.haltedHint(formatTime(haltedAt)) : releasesText.resumeHint}
          </p>
        </Confirm>
      )}
      {asked === "withdraw" && (
        <Confirm
          title={releasesText.confirmWithdrawal(version)}
          action={releasesText.withdrawRelease}
          onConfirm={() => void change("withdrawn", releasesText.releaseWithdrawn)}
          onCancel={() => setAsked(undefined)}
        >
          <p class="muted">{releasesText.withdrawHint}</p>
        </Confirm>
      )}
    </>
  );
}
