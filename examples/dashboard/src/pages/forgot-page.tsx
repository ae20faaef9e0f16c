import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { Link } from "../router.js";
import { isDemoOpen } from "../session.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useSubmit } from "./use-submit.js";

export function ForgotPage() {
  useTitle("Reset your password");
  const [sent, setSent] = useState(false);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/request-password-reset", fields),
    () => setSent(true),
  );
  return (
    <div class="narrow">
      <h1>Reset your password</h1>
      {sent && (
        <Notice tone="good">
          <p>If an account with this address exists, we have sent it an e-mail with a link.</p>
          {isDemoOpen.value && <Link to="/demo/mails">Open the e-mail</Link>}
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
          Send reset link
        </button>
        <p class="small">
          <Link to="/sign-in">Back to sign in</Link>
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
