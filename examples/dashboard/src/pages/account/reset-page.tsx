import { useState } from "preact/hooks";
import { callAccounts, isUnusableLink } from "../../api/account-calls.js";
import { Link, navigate } from "../../router.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice, Field, Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { useFragment } from "../../ui/use-fragment.js";
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
        <p>{signInText.linkUsed}</p>
        <Link to="/forgot-password">{signInText.requestNewLink}</Link>
      </Notice>
    );
  return (
    <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
      <Field
        id="password"
        name="newPassword"
        label={signInText.newPassword}
        type="password"
        autocomplete="new-password"
        minLength={10}
        maxLength={128}
        hint={signInText.newPasswordRules}
        required
      />
      <button type="submit" class="button primary wide" disabled={busy}>
        {signInText.changePassword}
      </button>
      <ErrorNotice failure={failure} />
    </form>
  );
}

export function ResetPage() {
  useTitle(signInText.newPassword);
  const token = useFragment().get("token") ?? "";
  return (
    <div class="narrow">
      <h1>{signInText.chooseNewPassword}</h1>
      <NewPassword key={token} token={token} />
    </div>
  );
}
