import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import * as codeFormText from "../text/code-form.js";
import { ErrorNotice, Field } from "../ui/parts.js";
import { useSubmit } from "./use-submit.js";

/** Asks for the second factor: a code of the app, or a recovery code. */
export function CodeForm({ onDone }: { readonly onDone: () => void | Promise<void> }) {
  const [recovery, setRecovery] = useState(false);
  const path = recovery ? "/two-factor/verify-backup-code" : "/two-factor/verify-totp";
  const { busy, failure, onSubmit } = useSubmit(
    ({ code = "" }) => callAccounts(path, { code: code.trim() }),
    onDone,
  );
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      {recovery ? (
        <Field
          key="recovery"
          id="recovery-code"
          name="code"
          label={codeFormText.recoveryCode}
          autocomplete="off"
          autocapitalize="none"
          focused
          required
        />
      ) : (
        <Field
          key="app"
          id="code"
          name="code"
          label={codeFormText.authenticatorCode}
          autocomplete="one-time-code"
          numeric
          pattern=" *[0-9]{6} *"
          focused
          required
        />
      )}
      <button type="submit" class="button primary wide" disabled={busy}>
        {codeFormText.goOn}
      </button>
      <button type="button" class="button quiet" onClick={() => setRecovery(!recovery)}>
        {recovery ? codeFormText.useAppCode : codeFormText.useRecoveryCode}
      </button>
      <ErrorNotice failure={failure} />
    </form>
  );
}
