import { useState } from "preact/hooks";
import * as webhooksText from "../text/webhooks.js";
import { copyText } from "../ui/copy-text.js";
import { Dialog } from "../ui/dialog.js";
import { useShownOnce } from "../unsaved.js";

interface SecretDialogProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/**
 * Shows a webhook's secret, once. Escape does not close it, and the page asks before it is left, so that nobody loses
 * the secret by accident.
 */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  const { onSaved } = useShownOnce(webhooksText.leaveSecret);
  // The dialog covers toasts.
  const [copied, setCopied] = useState("");
  return (
    <Dialog
      title={webhooksText.secretTitle}
      hint={<p class="muted">{webhooksText.secretHint}</p>}
      locked
      onClose={onClose}
    >
      <div class="field">
        <label for="webhook-secret">{webhooksText.secret}</label>
        <input id="webhook-secret" class="input mono" readOnly value={secret} />
        <p class="hint" role="status">
          {copied}
        </p>
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => void copyText(secret, webhooksText.secretCopied, setCopied)}
        >
          {webhooksText.copySecret}
        </button>
        <button
          type="button"
          class="button primary"
          onClick={() => {
            onSaved();
            onClose();
          }}
        >
          {webhooksText.secretKept}
        </button>
      </div>
    </Dialog>
  );
}
