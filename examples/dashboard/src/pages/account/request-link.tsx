import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { AccountForm } from "../../account/account-form.js";
import { EmailField } from "../../account/fields.js";
import { useSubmit } from "../../account/use-submit.js";
import { callAccounts } from "../../api/account-calls.js";
import { Link } from "../../router.js";
import { isDemoOpen } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { Notice } from "../../ui/parts.js";

interface RequestLinkProps {
  /** The path in the accounts API. */
  readonly path: "/request-password-reset" | "/send-verification-email";
  /** What is sent besides the address. */
  readonly more?: Readonly<Record<string, string>>;
  readonly email?: string;
  readonly action: string;
  readonly sentText: string;
  readonly foot?: ComponentChildren;
}

/** Asks for an address, and sends an e-mail with a link to it. The response does not say whether it has an account. */
export function RequestLink({ path, more, email, action, sentText, foot }: RequestLinkProps) {
  const [sent, setSent] = useState(false);
  const submission = useSubmit(
    (fields) => callAccounts(path, { ...fields, ...more }),
    () => setSent(true),
  );
  return (
    <>
      {sent && (
        <Notice tone="good">
          <p>{sentText}</p>
          {isDemoOpen.value && <Link to="/demo/mails">{signInText.openEmail}</Link>}
        </Notice>
      )}
      <AccountForm submission={submission} action={action} foot={foot}>
        <EmailField
          label={signInText.emailOfAccount}
          {...(email !== undefined && { defaultValue: email })}
        />
      </AccountForm>
    </>
  );
}
