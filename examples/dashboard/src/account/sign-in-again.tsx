import { useEffect, useState } from "preact/hooks";
import { callAccounts, needsSignIn } from "../api/account-calls.js";
import { announceSession, keepViewWithoutSession, refreshSite } from "../api/site-calls.js";
import * as accountText from "../text/account.js";
import { Dialog } from "../ui/dialog.js";
import { showToast } from "../ui/toast.js";
import { AccountForm } from "./account-form.js";
import { CodeForm } from "./code-form.js";
import { PasswordField } from "./fields.js";
import { useSubmit } from "./use-submit.js";

interface SignInAgainProps {
  readonly email: string;
  /** Called after the sign-in, which begins a new session. */
  readonly onDone: () => void;
}

/** Asks a user whose sign-in is too old to sign in again. Escape and Cancel change nothing. */
export function SignInAgain({ email, onDone }: SignInAgainProps) {
  const [asksCode, setAsksCode] = useState(false);
  /** Why the code was not accepted, if the user has to start again with the password. */
  const [restart, setRestart] = useState<{ readonly message: string } | undefined>();
  useEffect(
    () => () => {
      // The question belongs to this view. The next one does not begin with it.
      needsSignIn.value = false;
      keepViewWithoutSession(false);
    },
    [],
  );
  const close = () => {
    needsSignIn.value = false;
    keepViewWithoutSession(false);
    // With a second factor, the correct password has already ended the earlier session.
    void (asksCode ? announceSession() : refreshSite());
  };
  const finish = async () => {
    needsSignIn.value = false;
    await refreshSite();
    showToast(accountText.signedInAgain);
    onDone();
  };
  const submission = useSubmit(
    ({ password = "" }) => {
      setRestart(undefined);
      keepViewWithoutSession(true);
      return callAccounts("/sign-in/email", { email, password });
    },
    () => undefined,
  );
  const submit = async (event: SubmitEvent) => {
    const reply = await submission.onSubmit(event);
    if (!reply.ok) return reply;
    if (reply.body["twoFactorRedirect"] === true) setAsksCode(true);
    else await finish();
    return reply;
  };
  return (
    <Dialog
      title={accountText.signInAgain}
      hint={<p class="muted">{accountText.signInTooOld}</p>}
      onClose={close}
    >
      {asksCode ? (
        <CodeForm
          onDone={finish}
          onRestart={(reason) => {
            setRestart(reason);
            setAsksCode(false);
          }}
        />
      ) : (
        <AccountForm
          submission={{
            ...submission,
            failure: submission.failure ?? restart,
            onSubmit: submit,
          }}
          action={accountText.signIn}
          whole={false}
        >
          <PasswordField id="again-password" name="password" label={accountText.password} focused />
        </AccountForm>
      )}
      <button type="button" class="button quiet" onClick={close}>
        {accountText.cancel}
      </button>
    </Dialog>
  );
}
