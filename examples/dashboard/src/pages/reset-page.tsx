import { useState } from "preact/hooks";
import { callAccounts, isUnusableLink } from "../api/account-calls.js";
import { Link, navigate } from "../router.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useFragment } from "../ui/use-fragment.js";
import { useSubmit } from "./use-submit.js";

function NewPassword({ token }: { readonly token: string }) {
  const [unusable, setUnusable] = useState(token === "");
  const { busy, failure, onSubmit } = useSubmit(
    async (fields) => {
      const reply = await callAccounts("/reset-password", { ...fields, token });
      if (isUnusableLink(reply)) setUnusable(true);
      return reply;
    },
    () => navigate("/sign-in?reset=1", { replace: true }),
  );
  if (unusable)
    return (
      <Notice tone="bad">
        <p>This link was already used or has expired.</p>
        <Link to="/forgot-password">Request a new link</Link>
      </Notice>
    );
  return (
    <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
      <Field
        id="password"
        name="newPassword"
        label="New password"
        type="password"
        autocomplete="new-password"
        minLength={10}
        maxLength={128}
        hint="At least 10 characters. This signs you out on all other devices."
        required
      />
      <button type="submit" class="button primary wide" disabled={busy}>
        Change password
      </button>
      <ErrorNotice failure={failure} />
    </form>
  );
}

export function ResetPage() {
  useTitle("New password");
  const token = useFragment().get("token") ?? "";
  return (
    <div class="narrow">
      <h1>Choose a new password</h1>
      <NewPassword key={token} token={token} />
    </div>
  );
}
