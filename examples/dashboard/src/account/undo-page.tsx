import { callAccounts } from "../api/account-calls.js";
import { useSubmit } from "../pages/use-submit.js";
import { navigate } from "../router.js";
import { ErrorNotice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { useFragment } from "../ui/use-fragment.js";

/** The target of the link in a notice. Opening the link changes nothing. */
export function UndoPage() {
  useTitle("Take your account back");
  const fragment = useFragment();
  const { busy, failure, onSubmit } = useSubmit(
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
        <h1>Take your account back</h1>
        <p class="muted">
          This ends all sessions and pending changes of the account {fragment.get("email")}. The
          password no longer works, and you choose a new one next.
        </p>
      </div>
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <button type="submit" class="button danger wide" disabled={busy}>
          It was not me: sign everybody out
        </button>
        <ErrorNotice failure={failure} />
      </form>
    </div>
  );
}
