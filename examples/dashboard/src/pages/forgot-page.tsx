import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { Link } from "../router.js";
import { isDemoOpen } from "../session.js";
import { Field, Notice, ErrorNotice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useSubmit } from "./use-submit.js";

export function ForgotPage() {
  useTitle("Forgotten password");
  const [sent, setSent] = useState(false);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/request-password-reset", fields),
    () => setSent(true),
  );
  return (
    <div class="narrow">
      <h1>Choose a new password</h1>
      {sent && (
        <Notice tone="good">
          <p>If there is an account with this address, a mail with a link is on its way.</p>
          {isDemoOpen.value && <Link to="/demo/mails">See the mail</Link>}
        </Notice>
      )}
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="email"
          name="email"
          label="E-mail of your account"
          type="email"
          autocomplete="email"
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          Send me a link
        </button>
        <p class="small">
          <Link to="/sign-in">Back to signing in</Link>
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
