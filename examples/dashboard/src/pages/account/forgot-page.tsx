import { Link } from "../../router.js";
import * as signInText from "../../text/sign-in.js";
import { useTitle } from "../../ui/title.js";
import { RequestLink } from "./request-link.js";

export function ForgotPage() {
  useTitle(signInText.resetYourPassword);
  return (
    <div class="narrow">
      <h1>{signInText.resetYourPassword}</h1>
      <RequestLink
        path="/request-password-reset"
        action={signInText.sendResetLink}
        sentText={signInText.resetLinkSent}
        foot={
          <p class="small">
            <Link to="/sign-in">{signInText.backToSignIn}</Link>
          </p>
        }
      />
    </div>
  );
}
