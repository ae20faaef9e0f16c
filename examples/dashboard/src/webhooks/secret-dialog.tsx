import { useEffect, useRef } from "preact/hooks";
import * as webhooksText from "../text/webhooks.js";
import { showToast } from "../ui/toast.js";

interface SecretDialogProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows a webhook's secret, once. Escape does not close it, so that nobody loses the secret by accident. */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const copy = () =>
    void navigator.clipboard.writeText(secret).then(() => showToast(webhooksText.secretCopied));
  return (
    <dialog
      ref={dialog}
      aria-labelledby="secret-title"
      onCancel={(event) => event.preventDefault()}
      onClose={onClose}
    >
      <div class="stack">
        <div class="stack-small">
          <h2 id="secret-title">{webhooksText.secretTitle}</h2>
          <p class="muted">{webhooksText.secretHint}</p>
        </div>
        <div class="field">
          <label for="webhook-secret">{webhooksText.secret}</label>
          <input id="webhook-secret" class="input mono" readOnly value={secret} />
        </div>
        <div class="actions">
          <button type="button" class="button" onClick={copy}>
            {webhooksText.copySecret}
          </button>
          <button type="button" class="button primary" onClick={() => dialog.current?.close()}>
            {webhooksText.secretKept}
          </button>
        </div>
      </div>
    </dialog>
  );
}
