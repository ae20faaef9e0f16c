import { useState } from "preact/hooks";
import { CodeForm } from "../../account/code-form.js";
import { callAccounts, refreshSite } from "../../api/account-calls.js";
import { Link, place } from "../../router.js";
import { account, isDemoOpen } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice, Field, Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";
import { DemoCard } from "./demo-card.js";
import { useSubmit } from "./use-submit.js";

export function SignInPage() {
  useTitle(signInText.signIn);
  const requested = requestedPath();
  const [asksCode, setAsksCode] = useState(false);
  const enter = async () => {
    await refreshSite();
    if (account.value !== null) goToRequestedPath(requested);
  };
  const { busy, failure, onSubmit } = useSubmit(async (fields) => {
    const reply = await callAccounts("/sign-in/email", fields);
    setAsksCode(reply.ok && reply.body["twoFactorRedirect"] === true);
    return reply;
  }, enter);
  if (asksCode)
    return (
      <div class="narrow">
        <h1>{signInText.enterSecondFactor}</h1>
        <div class="card card-body">
          <CodeForm onDone={enter} />
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
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
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
          autocomplete="current-password"
          required
        />
        <button
          type="submit"
          class={`button wide ${isDemoOpen.value && !claiming ? "" : "primary"}`}
          disabled={busy}
        >
          {signInText.signIn}
        </button>
        <div class="between small">
          <Link to={withRequestedPath("/sign-up")}>{signInText.createAnAccount}</Link>
          <Link to="/forgot-password">{signInText.forgotYourPassword}</Link>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
