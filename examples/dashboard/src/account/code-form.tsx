import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import * as codeFormText from "../text/code-form.js";
import { ErrorNotice, Field } from "../ui/parts.js";
import { useSubmit } from "./use-submit.js";

/** After these errors the server accepts no code until the user has entered the password again. */
const endOfSignIn = [
  "INVALID_TWO_FACTOR_COOKIE",
  "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE",
  "TOO_MANY_CODES",
];

interface CodeFormProps {
  readonly onDone: () => void | Promise<void>;
  /** Called with the reason if the sign-in has to start again with the password. */
  readonly onRestart: (reason: { readonly message: string }) => void;
}

/** Asks for the second factor: a code of the app, or a recovery code. */
export function CodeForm({ onDone, onRestart }: CodeFormProps) {
  const [recovery, setRecovery] = useState(false);
  const path = recovery ? "/two-factor/verify-backup-code" : "/two-factor/verify-totp";
  const { busy, failure, onSubmit } = useSubmit(async ({ code = "" }) => {
    const reply = await callAccounts(path, { code: code.trim() });
    if (!reply.ok && endOfSignIn.includes(reply.code)) onRestart(reply);
    return reply;
  }, onDone);
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
