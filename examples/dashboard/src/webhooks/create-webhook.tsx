import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import * as webhooksText from "../text/webhooks.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorNotice, Field } from "../ui/parts.js";

export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

interface CreateWebhookProps {
  readonly scope: "own" | "operator";
  /** The kinds of events that a webhook can get. */
  readonly kinds: readonly string[];
  /** Gets undefined if the user cancelled. */
  readonly onClose: (created: CreatedWebhook | undefined) => void;
}

/** Asks for the URL and the events of a new webhook. */
export function CreateWebhook({ scope, kinds, onClose }: CreateWebhookProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const targetHardware = String(form.get("hardware"))
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    const filter = { kinds: form.getAll("kind").map(String), targetHardware };
    setBusy(true);
    const reply = await call("createWebhook", {
      query: { scope },
      body: { url: String(form.get("url")).trim(), filter },
    });
    setBusy(false);
    if (!reply.ok) return setFailure(reply.failure);
    onClose({ id: reply.value.webhook.id, secret: reply.value.secret });
  };
  return (
    <Dialog title={webhooksText.createTitle} onClose={() => onClose(undefined)}>
      <form class="form" onSubmit={(event) => void create(event)}>
        <Field
          id="url"
          name="url"
          label={webhooksText.url}
          hint={webhooksText.urlHint}
          placeholder={webhooksText.urlExample}
          maxLength={2000}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <fieldset class="plain-set">
          <legend class="label">{webhooksText.events}</legend>
          <p class="small muted">{webhooksText.eventsHint}</p>
          <div class="check-list">
            {kinds.map((kind) => (
              <label class="check" key={kind}>
                <input type="checkbox" name="kind" value={kind} />
                <span class="mono small">{kind}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          id="webhook-hardware"
          name="hardware"
          label={webhooksText.targetHardware}
          hint={webhooksText.targetHardwareHint}
          autocomplete="off"
          spellcheck={false}
        />
        <ErrorNotice failure={failure} />
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {webhooksText.createWebhook}
          </button>
          <button type="button" class="button quiet" onClick={() => onClose(undefined)}>
            {webhooksText.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
