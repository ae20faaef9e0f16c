import { callAccounts } from "../api/account-calls.js";
import { useSubmit } from "../pages/account/use-submit.js";
import * as accountText from "../text/account.js";
import { Card, ErrorNotice, Field } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

export function PasswordForm({ email }: { readonly email: string }) {
  const { busy, failure, onSubmit, form } = useSubmit(
    ({ currentPassword, newPassword }) =>
      callAccounts("/change-password", { currentPassword, newPassword }),
    () => {
      form.current?.reset();
      showToast(accountText.passwordChanged);
    },
  );
  return (
    <Card title={accountText.password} hint={accountText.passwordHint}>
      <form class="form" ref={form} onSubmit={(event) => void onSubmit(event)}>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <Field
          id="current-password"
          name="currentPassword"
          label={accountText.currentPassword}
          type="password"
          autocomplete="current-password"
          required
        />
        <Field
          id="new-password"
          name="newPassword"
          label={accountText.newPassword}
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={128}
          hint={accountText.passwordRules}
          required
        />
        <div>
          <button type="submit" class="button" disabled={busy}>
            {accountText.changePassword}
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
