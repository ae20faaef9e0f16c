import { callAccounts } from "../api/account-calls.js";
import * as accountText from "../text/account.js";
import { Card } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { AccountForm } from "./account-form.js";
import { NewPasswordField, PasswordField } from "./fields.js";
import { useSubmit } from "./use-submit.js";

interface PasswordFormProps {
  readonly email: string;
  /** Called after the change, which ends the other sessions. */
  readonly onChanged: () => void;
}

export function PasswordForm({ email, onChanged }: PasswordFormProps) {
  const submission = useSubmit(
    ({ currentPassword, newPassword }) =>
      callAccounts("/change-password", { currentPassword, newPassword }),
    () => {
      submission.form.current?.reset();
      showToast(accountText.passwordChanged);
      onChanged();
    },
  );
  return (
    <Card title={accountText.password} hint={accountText.passwordHint}>
      <AccountForm
        submission={submission}
        action={accountText.changePassword}
        tone="plain"
        whole={false}
      >
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <PasswordField
          id="current-password"
          name="currentPassword"
          label={accountText.currentPassword}
        />
        <NewPasswordField
          id="new-password"
          name="newPassword"
          label={accountText.newPassword}
          hint={accountText.passwordRules}
        />
      </AccountForm>
    </Card>
  );
}
