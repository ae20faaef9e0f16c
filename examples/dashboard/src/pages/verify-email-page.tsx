import { useEffect, useRef, useState } from "preact/hooks";
import { callAccounts, isUnusableLink, refreshSite } from "../api/account-calls.js";
import { Link } from "../router.js";
import { account, demo } from "../session.js";
import { Field, Notice, ErrorNotice } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { showToast } from "../ui/toast.js";
import { useFragment } from "../ui/use-fragment.js";
import { goToRequestedPath, isLocalPath } from "./after-sign-in.js";
import { useSubmit } from "./use-submit.js";

interface VerificationLink {
  readonly email: string;
  /** Where to go afterwards. */
  readonly next: string;
}

/** Sends another link, where the one at hand can't be used any more. */
function ResendForm({ email, next }: VerificationLink) {
  const [sent, setSent] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const { busy, failure, onSubmit } = useSubmit(
    (fields) => callAccounts("/send-verification-email", { ...fields, callbackURL: next }),
    () => setSent(true),
  );
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        This link can't be used any more
      </h1>
      <p class="muted">
        A link is good for an hour, and for one time. If your address is verified already, just{" "}
        <Link to="/sign-in">sign in</Link>.
      </p>
      {sent && (
        <Notice tone="good">
          <p>If this address waits to be verified, a mail with a new link is on its way.</p>
          {demo.value && <Link to="/demo/mails">See the mail</Link>}
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
  const [dead, setDead] = useState(token === "");
  const { busy, failure, onSubmit } = useSubmit(
    async ({ password = "" }) => {
      const reply = await callAccounts("/verify-email", { token, password });
      if (isUnusableLink(reply)) setDead(true);
      return reply;
    },
    async () => {
      await refreshSite();
      showToast("Your e-mail address is verified.");
      goToRequestedPath(next);
    },
  );
  if (dead) return <ResendForm email={email} next={next} />;
  return (
    <>
      <div class="stack-small">
        <h1>Verify your e-mail address</h1>
        <p class="muted">
          Enter the password that you chose when you created the account. You are signed out
          everywhere else.
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
          You did not choose a password, or forgot it?{" "}
          <Link to="/forgot-password">Choose a new one</Link>. That verifies the address too.
        </p>
        <ErrorNotice failure={failure} />
      </form>
    </>
  );
}

/** Where the mailed link leads: opening it changes nothing, the password does. */
export function VerifyEmailPage() {
  useTitle("Verify your address");
  const carried = useFragment();
  const [token, email] = [carried.get("token") ?? "", carried.get("email") ?? ""];
  const asked = carried.get("next") ?? "";
  const next = isLocalPath(asked) ? asked : "/";
  const user = account.value;
  const done = user?.emailVerified && user.email === email;
  return (
    <div class="narrow">
      {done ? (
        <>
          <h1>Your address is verified</h1>
          <p class="muted">You are signed in as {email}.</p>
          <Link to={next} class="button primary wide">
            Go on
          </Link>
        </>
      ) : (
        <VerifyForm key={token} token={token} email={email} next={next} />
      )}
    </div>
  );
}
