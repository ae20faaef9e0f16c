import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import * as accountText from "../text/account.js";
import { Card, Notice } from "../ui/parts.js";
import { AccountForm } from "./account-form.js";
import { EmailField } from "./fields.js";
import { useSubmit } from "./use-submit.js";

export function EmailForm({ email }: { readonly email: string }) {
  const [sent, setSent] = useState(false);
  const submission = useSubmit(
    (fields) => callAccounts("/change-email", fields),
    () => setSent(true),
  );
  return (
    <Card title={accountText.emailAddress} hint={accountText.currentAddress(email)}>
      <AccountForm
        submission={submission}
        action={accountText.changeAddress}
        tone="plain"
        whole={false}
        foot={sent && <Notice tone="good">{accountText.linkSentToCurrentAddress}</Notice>}
      >
        <EmailField
          id="new-email"
          name="newEmail"
          label={accountText.newEmailAddress}
          hint={accountText.changeAddressHint}
        />
      </AccountForm>
    </Card>
  );
}
