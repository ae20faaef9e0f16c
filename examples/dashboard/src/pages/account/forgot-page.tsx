import { useState } from "preact/hooks";
import { callAccounts } from "../../api/account-calls.js";
import { Link } from "../../router.js";
import { isDemoOpen } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice, Field, Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { useSubmit } from "./use-submit.js";

export function ForgotPage() {
  useTitle(signInText.resetYourPassword);
  const [sent, setSent] = useState(false);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/request-password-reset", fields),
    () => setSent(true),
  );
  return (
    <div class="narrow">
      <h1>{signInText.resetYourPassword}</h1>
      {sent && (
        <Notice tone="good">
          <p>{signInText.resetLinkSent}</p>
          {isDemoOpen.value && <Link to="/demo/mails">{signInText.openEmail}</Link>}
        </Notice>
      )}
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="email"
          name="email"
          label={signInText.emailOfAccount}
          type="email"
          autocomplete="email"
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {signInText.sendResetLink}
        </button>
        <p class="small">
          <Link to="/sign-in">{signInText.backToSignIn}</Link>
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
