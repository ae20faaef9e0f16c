import { callAccounts } from "../api/account-calls.js";
import { useSubmit } from "../pages/use-submit.js";
import { Card, ErrorNotice, Field } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

export function PasswordForm({ email }: { readonly email: string }) {
  const { busy, failure, onSubmit, form } = useSubmit(
    ({ currentPassword, newPassword }) =>
      callAccounts("/change-password", { currentPassword, newPassword }),
    () => {
      form.current?.reset();
      showToast("Your password has been changed.");
    },
  );
  return (
    <Card title="Password" hint="A new password signs you out on all other devices.">
      <form class="form" ref={form} onSubmit={(event) => void onSubmit(event)}>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <Field
          id="current-password"
          name="currentPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <Field
          id="new-password"
          name="newPassword"
          label="New password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={128}
          hint="10 to 128 characters of any kind. A few words that you make up are best."
          required
        />
        <div>
          <button type="submit" class="button" disabled={busy}>
            Change password
          </button>
        </div>
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
