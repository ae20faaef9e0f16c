import { callAccounts, refreshSite } from "../../api/account-calls.js";
import { Link } from "../../router.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice, Field } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";
import { useSubmit } from "./use-submit.js";

export function SignUpPage() {
  useTitle(signInText.createAnAccount);
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
        <h1>{signInText.createAnAccount}</h1>
        <p class="muted">{signInText.signUpHint}</p>
      </div>
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="name"
          name="name"
          label={signInText.name}
          autocomplete="name"
          required
          maxLength={64}
        />
        <Field
          id="email"
          name="email"
          label={signInText.email}
          type="email"
          autocomplete="email"
          required
        />
        <Field
          id="password"
          name="password"
          label={signInText.password}
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={128}
          hint={signInText.passwordRules}
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {signInText.createAccount}
        </button>
        <p class="small">
          {signInText.haveAnAccount(
            <Link to={withRequestedPath("/sign-in")}>{signInText.signIn}</Link>,
          )}
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
