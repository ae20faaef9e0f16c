import { useState } from "preact/hooks";
import type { CallFailure, Reply } from "../api/call.js";
import { serverNow } from "../api/server-clock.js";
import * as alertsText from "../text/alerts.js";
import { Dialog } from "../ui/dialog.js";
import { formatTime } from "../ui/format.js";
import { ErrorNotice, Segments } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

const durations = [
  ["hour", alertsText.hour],
  ["day", alertsText.day],
  ["week", alertsText.week],
] as const;
type Duration = (typeof durations)[number][0];
const hourMs = 3_600_000;
const lengths: Readonly<Record<Duration, number>> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 168 * hourMs,
};

interface MuteDialogProps {
  readonly rule: string;
  readonly hint: string;
  /** Mutes until a time in epoch milliseconds. */
  readonly mute: (until: number) => Promise<Reply<unknown>>;
  readonly onClose: () => void;
}

/** Asks for how long a rule or an alert is muted. */
export function MuteDialog({ rule, hint, mute, onClose }: MuteDialogProps) {
  const [duration, setDuration] = useState<Duration>("day");
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const confirm = async () => {
    const until = serverNow() + lengths[duration];
    const reply = await mute(until);
    if (!reply.ok) return setFailure(reply.failure);
    showToast(alertsText.mutedToast(formatTime(until)));
    onClose();
  };
  return (
    <Dialog title={alertsText.muteTitle(rule)} hint={<p class="muted">{hint}</p>} onClose={onClose}>
      <Segments
        label={alertsText.muteFor}
        options={durations}
        chosen={duration}
        onChoose={setDuration}
      />
      <ErrorNotice failure={failure} />
      <div class="actions">
        <button type="button" class="button primary" onClick={() => void confirm()}>
          {alertsText.mute}
        </button>
        <button type="button" class="button quiet" onClick={onClose}>
          {alertsText.cancel}
        </button>
      </div>
    </Dialog>
  );
}
