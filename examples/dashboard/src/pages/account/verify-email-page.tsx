import { useEffect, useRef, useState } from "preact/hooks";
import { AccountForm } from "../../account/account-form.js";
import { PasswordField } from "../../account/fields.js";
import { useSubmit } from "../../account/use-submit.js";
import { callAccounts, isUnusableLink } from "../../api/account-calls.js";
import { announceSession } from "../../api/site-calls.js";
import { Link } from "../../router.js";
import { account } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { Field } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { showToast } from "../../ui/toast.js";
import { useFragment } from "../../ui/use-fragment.js";
import { goToRequestedPath, isLocalPath } from "./after-sign-in.js";
import { RequestLink } from "./request-link.js";

interface VerificationLink {
  readonly email: string;
  /** The path to open afterwards. */
  readonly next: string;
}

/** Offers to send a new link, because this one was used or has expired. */
function ResendForm({ email, next }: VerificationLink) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus was removed.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {signInText.linkUnusable}
      </h1>
      <p class="muted">
        {signInText.linkWorksOnce(<Link to="/sign-in">{signInText.signInLink}</Link>)}
      </p>
      <RequestLink
        path="/send-verification-email"
        more={{ callbackURL: next }}
        email={email}
        action={signInText.sendNewLink}
        sentText={signInText.newLinkSent}
      />
    </>
  );
}

interface VerifyFormProps extends VerificationLink {
  readonly token: string;
}

function VerifyForm({ token, email, next }: VerifyFormProps) {
  const [unusable, setUnusable] = useState(token === "");
  const submission = useSubmit(
    async ({ password = "" }) => {
      const reply = await callAccounts("/verify-email", { token, password });
      if (isUnusableLink(reply)) setUnusable(true);
      return reply;
    },
    async () => {
      await announceSession();
      showToast(signInText.addressVerified);
      goToRequestedPath(next);
    },
  );
  if (unusable) return <ResendForm email={email} next={next} />;
  return (
    <>
      <div class="stack-small">
        <h1>{signInText.verifyEmail}</h1>
        <p class="muted">{signInText.verifyEmailHint}</p>
      </div>
      <AccountForm
        submission={submission}
        action={signInText.verifyAddress}
        foot={
          <p class="small">
            {signInText.forgotPasswordHint(<Link to="/forgot-password">{signInText.resetIt}</Link>)}
          </p>
        }
      >
        {email !== "" && (
          <Field
            id="email"
            name="email"
            label={signInText.email}
            type="email"
            autocomplete="username"
            value={email}
            readOnly
          />
        )}
        <PasswordField label={signInText.password} />
      </AccountForm>
    </>
  );
}

/** The target of the link in the e-mail. Opening the link changes nothing; entering the password verifies the address. */
export function VerifyEmailPage() {
  useTitle(signInText.verifyYourAddress);
  const fragment = useFragment();
  const [token, email] = [fragment.get("token") ?? "", fragment.get("email") ?? ""];
  const requested = fragment.get("next") ?? "";
  const next = isLocalPath(requested) ? requested : "/";
  const user = account.value;
  const done = user?.emailVerified && user.email === email;
  return (
    <div class="narrow">
      {done ? (
        <>
          <h1>{signInText.addressIsVerified}</h1>
          <p class="muted">{signInText.signedInAs(email)}</p>
          <Link to={next} class="button primary wide">
            {signInText.goOn}
          </Link>
        </>
      ) : (
        <VerifyForm key={token} token={token} email={email} next={next} />
      )}
    </div>
  );
}
