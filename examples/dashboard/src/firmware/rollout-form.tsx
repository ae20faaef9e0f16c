import type { OperatorRelease } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import * as firmwareText from "../text/firmware.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useSaving } from "../ui/use-saving.js";

interface RolloutFormProps {
  readonly release: OperatorRelease;
  readonly onDone: () => void;
}

/** Sets the share of devices that are offered the release. A higher share never withdraws an offer. */
export function RolloutForm({ release, onDone }: RolloutFormProps) {
  const [percent, setPercent] = useState(release.rolloutPercent);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const { blocked, run } = useSaving(release);
  const save = async () => {
    const params = { releaseId: release.id };
    const reply = await call("changeRelease", { params, body: { rolloutPercent: percent } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return false;
    showToast(firmwareText.offeredToShare(percent));
    onDone();
    return true;
  };
  return (
    <Card title={firmwareText.rollout}>
      <fieldset class="plain-set" disabled={blocked}>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void run(save);
          }}
        >
          <div class="field">
            <div class="between">
              <label for="share" class="label">
                {firmwareText.shareOfDevices}
              </label>
              <output for="share" class="label">
                {percent}%
              </output>
            </div>
            <input
              id="share"
              type="range"
              class="slider"
              min={0}
              max={100}
              step={1}
              value={percent}
              onInput={(event) => setPercent(Number(event.currentTarget.value))}
            />
            <p class="hint">{firmwareText.shareHint}</p>
          </div>
          <div>
            <button type="submit" class="button" disabled={percent === release.rolloutPercent}>
              {firmwareText.saveShare}
            </button>
          </div>
          <ErrorNotice failure={failure} />
        </form>
      </fieldset>
    </Card>
  );
}
