import { callAccounts, refreshSite } from "../api/account-calls.js";
import { Link } from "../router.js";
import { ErrorNotice, Field } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";
import { useSubmit } from "./use-submit.js";

export function SignUpPage() {
  useTitle("Create an account");
  const requested = requestedPath();
  const { busy, failure, onSubmit } = useSubmit(
    // The link in the e-mail also leads to the requested page.
    (fields) => callAccounts("/sign-up/email", { ...fields, callbackURL: requested }),
    async () => {
      await refreshSite();
      goToRequestedPath(requested);
    },
  );
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>Create an account</h1>
        <p class="muted">
          You need an account to claim gateways. We send you an e-mail to verify your address.
        </p>
      </div>
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field id="name" name="name" label="Name" autocomplete="name" required maxLength={64} />
        <Field id="email" name="email" label="E-mail" type="email" autocomplete="email" required />
        <Field
          id="password"
          name="password"
          label="Password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={128}
          hint="At least 10 characters."
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          Create account
        </button>
        <p class="small">
          Already have an account? <Link to={withRequestedPath("/sign-in")}>Sign in</Link>
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
