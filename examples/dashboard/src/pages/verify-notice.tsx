import { useState } from "preact/hooks";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { Link, place } from "../router.js";
import { account, isDemoOpen } from "../session.js";
import { Notice } from "../ui/parts.js";

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
    setSent(reply.ok ? "E-mail sent." : reply.message);
  };
  return (
    <div class="verify">
      <Notice tone="warn">
        <p>
          <strong>Verify your e-mail address.</strong> Open the link that we sent to {user.email}{" "}
          and enter your password. Then you can claim gateways.
        </p>
        <div class="actions">
          {isDemoOpen.value && (
            <Link to="/demo/mails" class="button small">
              Open the e-mail
            </Link>
          )}
          <button type="button" class="button small" onClick={() => void resend()}>
            Send again
          </button>
          <button type="button" class="button small quiet" onClick={() => void refreshSite()}>
            I have verified it
          </button>
          <span role="status">{sent}</span>
        </div>
      </Notice>
    </div>
  );
}
