import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { useSubmit } from "../pages/account/use-submit.js";
import * as accountText from "../text/account.js";
import { Card, ErrorNotice, Field, Notice } from "../ui/parts.js";

export function EmailForm({ email }: { readonly email: string }) {
  const [sent, setSent] = useState(false);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/change-email", fields),
    () => setSent(true),
  );
  return (
    <Card title={accountText.emailAddress} hint={accountText.currentAddress(email)}>
      <form class="form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="new-email"
          name="newEmail"
          label={accountText.newEmailAddress}
          type="email"
          autocomplete="email"
          hint={accountText.changeAddressHint}
          required
        />
        <div>
          <button type="submit" class="button" disabled={busy}>
            {accountText.changeAddress}
          </button>
        </div>
        {sent && <Notice tone="good">{accountText.linkSentToCurrentAddress}</Notice>}
        <ErrorNotice failure={failure} />
      </form>
    </Card>
  );
}
