import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { refreshSite } from "../api/site-calls.js";
import { Link } from "../router.js";
import * as accountText from "../text/account.js";
import { Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useFragment } from "../ui/use-fragment.js";
import { AccountForm } from "./account-form.js";
import { useSubmit } from "./use-submit.js";

function ConfirmForm({ fragment }: { readonly fragment: URLSearchParams }) {
  const [done, setDone] = useState<"half" | "whole" | undefined>();
  const newEmail = fragment.get("newEmail") ?? "";
  const submission = useSubmit(async () => {
    const reply = await callAccounts("/confirm-email", Object.fromEntries(fragment));
    if (reply.ok) setDone(reply.body["done"] === true ? "whole" : "half");
    return reply;
  }, refreshSite);
  if (done !== undefined)
    return (
      <Notice tone="good">
        <p>
          {done === "half"
            ? accountText.openLinkSentTo(newEmail)
            : accountText.addressChanged(newEmail)}
        </p>
        <Link to="/account">{accountText.yourAccount}</Link>
      </Notice>
    );
  return (
    <AccountForm submission={submission} action={accountText.confirm}>
      <p>{accountText.newAddressIs(newEmail)}</p>
    </AccountForm>
  );
}

/** The target of the links that confirm a change of address. Opening a link changes nothing. */
export function ConfirmEmailPage() {
  useTitle(accountText.confirmTheChange);
  const fragment = useFragment();
  return (
    <div class="narrow">
      <h1>{accountText.changeYourAddress}</h1>
      <ConfirmForm key={fragment.get("token")} fragment={fragment} />
    </div>
  );
}
