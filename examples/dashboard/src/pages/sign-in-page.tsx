import { useState } from "preact/hooks";
import { CodeForm } from "../account/code-form.js";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { Link, place } from "../router.js";
import { account, isDemoOpen } from "../session.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { goToRequestedPath, requestedPath, withRequestedPath } from "./after-sign-in.js";
import { DemoCard } from "./demo-card.js";
import { useSubmit } from "./use-submit.js";

export function SignInPage() {
  useTitle("Sign in");
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
        <h1>Enter your second factor</h1>
        <div class="card card-body">
          <CodeForm onDone={enter} />
        </div>
      </div>
    );
  const claiming = requested.startsWith("/claim");
  return (
    <div class="narrow">
      {place.value.query.has("reset") && (
        <Notice tone="good">Your password has been changed. Sign in with the new one.</Notice>
      )}
      <div class="stack-small">
        <h1>{claiming ? "Sign in to claim your gateway" : "Sign in"}</h1>
        <p class="muted">
          {claiming ? "The claim code is kept for you." : "Watch and manage your gateways."}
        </p>
      </div>
      {!claiming && <DemoCard />}
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field id="email" name="email" label="E-mail" type="email" autocomplete="email" required />
        <Field
          id="password"
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button
          type="submit"
          class={`button wide ${isDemoOpen.value && !claiming ? "" : "primary"}`}
          disabled={busy}
        >
          Sign in
        </button>
        <div class="between small">
          <Link to={withRequestedPath("/sign-up")}>Create an account</Link>
          <Link to="/forgot-password">Forgot your password?</Link>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
