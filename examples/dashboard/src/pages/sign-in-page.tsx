import { callAccounts, refreshSite } from "../api/account-calls.js";
import { Link, place } from "../router.js";
import { isDemoOpen } from "../session.js";
import { Field, Notice, Trouble } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { goOn, wantedPath, withWanted } from "./after-sign-in.js";
import { DemoDoor } from "./demo-door.js";
import { useSubmit } from "./use-submit.js";

export function SignInPage() {
  useTitle("Sign in");
  const wanted = wantedPath();
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/sign-in/email", fields),
    async () => {
      await refreshSite();
      goOn(wanted);
    },
  );
  const claiming = wanted.startsWith("/claim");
  return (
    <div class="narrow">
      {place.value.query.has("reset") && (
        <Notice tone="good">Your password is changed. Sign in with the new one.</Notice>
      )}
      <div class="stack-small">
        <h1>{claiming ? "Sign in to claim your gateway" : "Sign in"}</h1>
        <p class="muted">
          {claiming
            ? "Its code is kept: you go on where you were."
            : "See how your gateways are doing, and look after them."}
        </p>
      </div>
      {!claiming && <DemoDoor />}
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
          <Link to={withWanted("/sign-up")}>Create an account</Link>
          <Link to="/forgot-password">Forgot your password?</Link>
        </div>
        <Trouble failure={failure} />
      </form>
    </div>
  );
}
