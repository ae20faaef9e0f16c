import { useState } from "preact/hooks";
import { needsSignIn } from "../api/account-calls.js";
import { account } from "../session.js";
import * as accountText from "../text/account.js";
import { Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { DeleteAccount } from "./delete-account.js";
import { EmailForm } from "./email-form.js";
import { PasswordForm } from "./password-form.js";
import { SecondFactor } from "./second-factor.js";
import { Sessions } from "./sessions.js";
import { SignInAgain } from "./sign-in-again.js";

/** The signed-in user's account: second factor, sessions, address, password and deletion. */
export function AccountPage() {
  useTitle(accountText.yourAccount);
  const [changes, setChanges] = useState(0);
  const onChanged = () => setChanges((before) => before + 1);
  const user = account.value;
  if (user === null) return null;
  const isDemo = user.email.endsWith(".invalid");
  return (
    <div class="stack">
      <h1>{accountText.yourAccount}</h1>
      {isDemo ? (
        <Notice>
          <p>{accountText.demoAccountHint}</p>
        </Notice>
      ) : (
        <>
          <SecondFactor enabled={user.secondFactor} onChanged={onChanged} />
          <EmailForm email={user.email} />
          <PasswordForm email={user.email} onChanged={onChanged} />
          <Sessions changes={changes} />
          <DeleteAccount />
        </>
      )}
      {needsSignIn.value && <SignInAgain email={user.email} onDone={onChanged} />}
    </div>
  );
}
