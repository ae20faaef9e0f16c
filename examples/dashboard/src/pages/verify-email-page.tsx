import { useEffect, useRef, useState } from "preact/hooks";
import { callAccounts, isUnusableLink, refreshSite } from "../api/account-calls.js";
import { Link } from "../router.js";
import { account, demo } from "../session.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";
import { useFragment } from "../ui/use-fragment.js";
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
        This link no longer works
      </h1>
      <p class="muted">
        A link works once, within an hour. If your address is already verified,{" "}
        <Link to="/sign-in">sign in</Link>.
      </p>
      {sent && (
        <Notice tone="good">
          <p>If this address needs to be verified, we have sent it an e-mail with a new link.</p>
          {demo.value && <Link to="/demo/mails">Open the e-mail</Link>}
        </Notice>
      )}
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          id="email"
          name="email"
          label="E-mail of your account"
          type="email"
          autocomplete="email"
          defaultValue={email}
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          Send a new link
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
      showToast("Your e-mail address is verified.");
      goToRequestedPath(next);
    },
  );
  if (unusable) return <ResendForm email={email} next={next} />;
  return (
    <>
      <div class="stack-small">
        <h1>Verify your e-mail address</h1>
        <p class="muted">
          Enter the password that you chose when you created the account. This signs you out on all
          other devices.
        </p>
      </div>
      <form class="card card-body form" onSubmit={(event) => void onSubmit(event)}>
        {email !== "" && (
          <Field
            id="email"
            name="email"
            label="E-mail"
            type="email"
            autocomplete="username"
            value={email}
            readOnly
          />
        )}
        <Field
          id="password"
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button type="submit" class="button primary wide" disabled={busy}>
          Verify address
        </button>
        <p class="small">
          Forgot your password? <Link to="/forgot-password">Reset it</Link>. That also verifies your
          address.
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </>
  );
}

/** The target of the link in the e-mail. Opening the link changes nothing; entering the password verifies the address. */
export function VerifyEmailPage() {
  useTitle("Verify your address");
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
          <h1>Your address is verified</h1>
          <p class="muted">You are signed in as {email}.</p>
          <Link to={next} class="button primary wide">
            Continue
          </Link>
        </>
      ) : (
        <VerifyForm key={token} token={token} email={email} next={next} />
      )}
    </div>
  );
}
