import { callAccounts } from "../api/account-calls.js";
import { Link, navigate, place } from "../router.js";
import { Field, Notice, Trouble } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useSubmit } from "./use-submit.js";

export function ResetPage() {
  useTitle("New password");
  const token = place.value.query.get("token");
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/reset-password", { ...fields, token }),
    () => navigate("/sign-in?reset=1", { replace: true }),
  );
  return (
    <div class="narrow">
      <h1>Choose a new password</h1>
      {token === null ? (
        <Notice tone="bad">
          <p>This link has been used or has expired.</p>
          <Link to="/forgot-password">Ask for another one</Link>
        </Notice>
      ) : (
        <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
          <Field
            id="password"
            name="newPassword"
            label="New password"
            type="password"
            autocomplete="new-password"
            minLength={10}
            maxLength={128}
            hint="10 characters or more. You are signed out everywhere else."
            required
          />
          <button type="submit" class="button primary wide" disabled={busy}>
            Change password
          </button>
          <Trouble failure={failure} />
        </form>
      )}
    </div>
  );
}
