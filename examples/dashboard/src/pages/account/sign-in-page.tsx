import { useState } from "preact/hooks";
import { AccountForm } from "../../account/account-form.js";
import { CodeForm } from "../../account/code-form.js";
import { EmailField, PasswordField } from "../../account/fields.js";
import { useSubmit } from "../../account/use-submit.js";
import { callAccounts } from "../../api/account-calls.js";
import { announceSession } from "../../api/site-calls.js";
import { Link, place } from "../../router.js";
import { account, isDemoOpen } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";
import { DemoCard } from "./demo-card.js";

export function SignInPage() {
  useTitle(signInText.signIn);
  const requested = requestedPath();
  const [asksCode, setAsksCode] = useState(false);
  /** Why the code was not accepted, if the user has to start again with the password. */
  const [restart, setRestart] = useState<{ readonly message: string } | undefined>();
  const enter = async () => {
    await announceSession();
    if (account.value !== null) goToRequestedPath(requested);
  };
  const submission = useSubmit(async (fields) => {
    setRestart(undefined);
    const reply = await callAccounts("/sign-in/email", fields);
    setAsksCode(reply.ok && reply.body["twoFactorRedirect"] === true);
    return reply;
  }, enter);
  if (asksCode)
    return (
      <div class="narrow">
        <h1>{signInText.enterSecondFactor}</h1>
        <div class="card card-body">
          <CodeForm
            onDone={enter}
            onRestart={(reason) => {
              setRestart(reason);
              setAsksCode(false);
            }}
          />
        </div>
      </div>
    );
  const claiming = requested.startsWith("/claim");
  return (
    <div class="narrow">
      {place.value.query.has("reset") && <Notice tone="good">{signInText.passwordChanged}</Notice>}
      <div class="stack-small">
        <h1>{claiming ? signInText.signInToClaim : signInText.signIn}</h1>
        <p class="muted">{claiming ? signInText.claimCodeKept : signInText.signInHint}</p>
      </div>
      {!claiming && <DemoCard />}
      <AccountForm
        submission={{ ...submission, failure: submission.failure ?? restart }}
        action={signInText.signIn}
        tone={isDemoOpen.value && !claiming ? "plain" : "primary"}
        foot={
          <div class="between small">
            <Link to={withRequestedPath("/sign-up")}>{signInText.createAnAccount}</Link>
            <Link to="/forgot-password">{signInText.forgotYourPassword}</Link>
          </div>
        }
      >
        {/* The form that had the focus was removed. */}
        <EmailField label={signInText.email} focused={restart !== undefined} />
        <PasswordField label={signInText.password} />
      </AccountForm>
    </div>
  );
}
