import { useState } from "preact/hooks";
import { AccountForm } from "../../account/account-form.js";
import { NewPasswordField } from "../../account/fields.js";
import { useSubmit } from "../../account/use-submit.js";
import { callAccounts, isUnusableLink } from "../../api/account-calls.js";
import { Link, navigate } from "../../router.js";
import * as signInText from "../../text/sign-in.js";
import { Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { useFragment } from "../../ui/use-fragment.js";

function NewPassword({ token }: { readonly token: string }) {
  const [unusable, setUnusable] = useState(token === "");
  const submission = useSubmit(
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
    <AccountForm submission={submission} action={signInText.changePassword}>
      <NewPasswordField
        name="newPassword"
        label={signInText.newPassword}
        hint={signInText.newPasswordRules}
      />
    </AccountForm>
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
