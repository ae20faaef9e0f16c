import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import * as webhooksText from "../text/webhooks.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

interface ReplayFormProps {
  readonly webhookId: string;
  readonly onDone: () => void;
}

/** Sends all events since a time again. */
export function ReplayForm({ webhookId, onDone }: ReplayFormProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const replay = async (event: SubmitEvent) => {
    event.preventDefault();
    const from = new Date(
      String(new FormData(event.currentTarget as HTMLFormElement).get("from")),
    ).getTime();
    const reply = await call("replayWebhook", { params: { webhookId }, body: { from } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    showToast(webhooksText.replayed);
    onDone();
  };
  return (
    <Card title={webhooksText.replay} hint={webhooksText.replayHint}>
      <form class="form" onSubmit={(event) => void replay(event)}>
        <div class="field">
          <label for="replay-from">{webhooksText.replayFrom}</label>
          <input id="replay-from" class="input own" type="datetime-local" name="from" required />
        </div>
        <div>
          <button type="submit" class="button">
            {webhooksText.replayButton}
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
