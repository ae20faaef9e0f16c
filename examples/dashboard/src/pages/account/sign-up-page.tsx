import { AccountForm } from "../../account/account-form.js";
import { EmailField, NewPasswordField } from "../../account/fields.js";
import { useSubmit } from "../../account/use-submit.js";
import { callAccounts } from "../../api/account-calls.js";
import { announceSession } from "../../api/site-calls.js";
import { Link } from "../../router.js";
import * as signInText from "../../text/sign-in.js";
import { Field } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";

export function SignUpPage() {
  useTitle(signInText.createAnAccount);
  const requested = requestedPath();
  const submission = useSubmit(
    // The link in the e-mail also leads to the requested page.
    (fields) => callAccounts("/sign-up/email", { ...fields, callbackURL: requested }),
    async () => {
      await announceSession();
      goToRequestedPath(requested);
    },
  );
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>{signInText.createAnAccount}</h1>
        <p class="muted">{signInText.signUpHint}</p>
      </div>
      <AccountForm
        submission={submission}
        action={signInText.createAccount}
        foot={
          <p class="small">
            {signInText.haveAnAccount(
              <Link to={withRequestedPath("/sign-in")}>{signInText.signIn}</Link>,
            )}
          </p>
        }
      >
        <Field
          id="name"
          name="name"
          label={signInText.name}
          autocomplete="name"
          required
          maxLength={64}
        />
        <EmailField label={signInText.email} />
        <NewPasswordField label={signInText.password} hint={signInText.passwordRules} />
      </AccountForm>
    </div>
  );
}
