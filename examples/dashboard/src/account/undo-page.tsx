import { callAccounts } from "../api/account-calls.js";
import { navigate } from "../router.js";
import * as accountText from "../text/account.js";
import { useTitle } from "../ui/title.js";
import { useFragment } from "../ui/use-fragment.js";
import { AccountForm } from "./account-form.js";
import { useSubmit } from "./use-submit.js";

/** The target of the link in a notice. Opening the link changes nothing. */
export function UndoPage() {
  useTitle(accountText.takeAccountBack);
  const fragment = useFragment();
  const submission = useSubmit(
    async () => {
      const reply = await callAccounts("/undo", Object.fromEntries(fragment));
      if (reply.ok)
        navigate(`/reset-password#token=${String(reply.body["resetToken"])}`, { replace: true });
      return reply;
    },
    () => undefined,
  );
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>{accountText.takeAccountBack}</h1>
        <p class="muted">{accountText.takeBackHint(fragment.get("email") ?? "")}</p>
      </div>
      <AccountForm submission={submission} action={accountText.itWasNotMe} tone="danger" />
    </div>
  );
}
