import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { useSubmit } from "../pages/use-submit.js";
import { Card, ErrorNotice, Field, Notice } from "../ui/parts.js";

export function EmailForm({ email }: { readonly email: string }) {
  const [sent, setSent] = useState(false);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/change-email", fields),
    () => setSent(true),
  );
  return (
    <Card title="E-mail address" hint={`Your address is ${email}.`}>
      <form class="form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="new-email"
          name="newEmail"
          label="New e-mail address"
          type="email"
          autocomplete="email"
          hint="We send a link to your current address, and then one to the new address. Open both while you are signed in."
          required
        />
        <div>
          <button type="submit" class="button" disabled={busy}>
            Change address
          </button>
        </div>
        {sent && (
          <Notice tone="good">We have sent a link to your current address. Open it here.</Notice>
        )}
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
