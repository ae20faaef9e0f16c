import { useEffect, useRef, useState } from "preact/hooks";
import { callAccounts, isUnusableLink, refreshSite } from "../../api/account-calls.js";
import { Link } from "../../router.js";
import { account, demo } from "../../session.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice, Field, Notice } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { showToast } from "../../ui/toast.js";
import { useFragment } from "../../ui/use-fragment.js";
import { goToRequestedPath, isLocalPath } from "./after-sign-in.js";
import { useSubmit } from "./use-submit.js";

interface VerificationLink {
  readonly email: string;
  /** The path to open afterwards. */
  readonly next: string;
}

/** Offers to send a new link, because this one was used or has expired. */
function ResendForm({ email, next }: VerificationLink) {
  const [sent, setSent] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus was removed.
  useEffect(() => heading.current?.focus(), []);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/send-verification-email", { ...fields, callbackURL: next }),
    () => setSent(true),
  );
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {signInText.linkUnusable}
      </h1>
      <p class="muted">
        {signInText.linkWorksOnce(<Link to="/sign-in">{signInText.signInLink}</Link>)}
      </p>
      {sent && (
        <Notice tone="good">
          <p>{signInText.newLinkSent}</p>
          {demo.value && <Link to="/demo/mails">{signInText.openEmail}</Link>}
        </Notice>
      )}
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="email"
          name="email"
          label={signInText.emailOfAccount}
          type="email"
          autocomplete="email"
          defaultValue={email}
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {signInText.sendNewLink}
        </button>
        <ErrorNotice failure={failure} />
      </form>
    </>
  );
}

interface VerifyFormProps extends VerificationLink {
  readonly token: string;
}

function VerifyForm({ token, email, next }: VerifyFormProps) {
  const [unusable, setUnusable] = useState(token === "");
  const { busy, failure, onSubmit } = useSubmit(
    async ({ password = "" }) => {
      const reply = await callAccounts("/verify-email", { token, password });
      if (isUnusableLink(reply)) setUnusable(true);
      return reply;
    },
    async () => {
      await refreshSite();
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
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
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
        <Field
          id="password"
          name="password"
          label={signInText.password}
          type="password"
          autocomplete="current-password"
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          {signInText.verifyAddress}
        </button>
        <p class="small">
          {signInText.forgotPasswordHint(<Link to="/forgot-password">{signInText.resetIt}</Link>)}
        </p>
        <ErrorNotice failure={failure} />
      </form>
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
