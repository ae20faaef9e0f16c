import { useState } from "preact/hooks";
import { callAccounts } from "../../api/account-calls.js";
import { refreshSite } from "../../api/site-calls.js";
import { Link, place } from "../../router.js";
import { account, isDemoOpen } from "../../session.js";
import * as accountErrorsText from "../../text/account-errors.js";
import * as signInText from "../../text/sign-in.js";
import { Notice } from "../../ui/parts.js";

/** Asks the user to verify their address. The link in the e-mail leads back to the current page. */
export function VerifyNotice() {
  const [sent, setSent] = useState("");
  const user = account.value;
  const { path } = place.value;
  const hidden = path.startsWith("/demo") || path === "/verify-email";
  if (user === null || user.emailVerified || hidden) return null;
  const resend = async () => {
    const callbackURL = location.pathname + location.search;
    const reply = await callAccounts("/send-verification-email", {
      email: user.email,
      callbackURL,
    });
    setSent(reply.ok ? signInText.emailSent : reply.message);
  };
  const refresh = async () => setSent((await refreshSite()) ? "" : accountErrorsText.offline);
  return (
    <div class="verify">
      <Notice tone="warn">
        <p>{signInText.verifyNotice(user.email)}</p>
        <div class="actions">
          {isDemoOpen.value && (
            <Link to="/demo/mails" class="button small">
              {signInText.openEmail}
            </Link>
          )}
          <button type="button" class="button small" onClick={() => void resend()}>
            {signInText.sendAgain}
          </button>
          <button type="button" class="button small quiet" onClick={() => void refresh()}>
            {signInText.alreadyVerified}
          </button>
          <span role="status">{sent}</span>
        </div>
      </Notice>
    </div>
  );
}
