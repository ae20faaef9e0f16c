import type { ComponentChildren } from "preact";

export const resetYourPassword = "Reset your password";
export const resetLinkSent =
  "If an account with this address exists, we have sent it an e-mail with a link.";
export const openEmail = "Open the e-mail";
export const emailOfAccount = "E-mail of your account";
export const sendResetLink = "Send reset link";
export const backToSignIn = "Back to sign in";
export const demoEmails = "Demo e-mails";
export const demoEmailsHint =
  "The demo has no mail server, so its e-mails appear here. Set SMTP_URL to send them.";
export const mailTo = (to: string) => `To ${to}`;
export const noEmailsYet = "No e-mails yet";
export const noEmailsHint = "Create an account or reset a password. The e-mail then appears here.";
export const openTheDemoFirst = "Open the demo first";
export const openDemoHint = (
  <>
    Use the link that the server printed when it started. The link ends with <code>#demo=…</code>
  </>
);
export const linkUsed = "This link was already used or has expired.";
export const requestNewLink = "Request a new link";
export const newPassword = "New password";
export const newPasswordRules = "At least 10 characters. This signs you out on all other devices.";
export const changePassword = "Change password";
export const chooseNewPassword = "Choose a new password";
export const justLooking = "Just looking?";
export const demoNeedsLink = (
  <>
    A demo gateway is running on this machine. To open it, use the link that the server printed when
    it started. The link ends with <code>#demo=…</code>
  </>
);
export const demoHint =
  "A demo gateway is running on this machine, with 79 days of readings. You need no account.";
export const opening = "Opening…";
export const openDemo = "Open the demo";
export const signIn = "Sign in";
export const enterSecondFactor = "Enter your second factor";
export const passwordChanged = "Your password has been changed. Sign in with the new one.";
export const signInToClaim = "Sign in to claim your gateway";
export const claimCodeKept = "The claim code is kept for you.";
export const signInHint = "Watch and manage your gateways.";
export const email = "E-mail";
export const password = "Password";
export const createAnAccount = "Create an account";
export const forgotYourPassword = "Forgot your password?";
export const signUpHint =
  "You need an account to claim gateways. We send you an e-mail to verify your address.";
export const name = "Name";
export const passwordRules = "At least 10 characters.";
export const createAccount = "Create account";
export const haveAnAccount = (link: ComponentChildren) => <>Already have an account? {link}</>;
export const linkUnusable = "This link no longer works";
export const signInLink = "sign in";
export const linkWorksOnce = (link: ComponentChildren) => (
  <>A link works once, within an hour. If your address is already verified, {link}.</>
);
export const newLinkSent =
  "If this address needs to be verified, we have sent it an e-mail with a new link.";
export const sendNewLink = "Send a new link";
export const addressVerified = "Your e-mail address is verified.";
export const verifyEmail = "Verify your e-mail address";
export const verifyEmailHint =
  "Enter the password that you chose when you created the account. This signs you out on all other devices.";
export const verifyAddress = "Verify address";
export const resetIt = "Reset it";
export const forgotPasswordHint = (link: ComponentChildren) => (
  <>Forgot your password? {link}. That also verifies your address.</>
);
export const verifyYourAddress = "Verify your address";
export const addressIsVerified = "Your address is verified";
export const signedInAs = (email: string) => `You are signed in as ${email}.`;
export const goOn = "Continue";
export const emailSent = "E-mail sent.";
export const verifyNotice = (email: string) => (
  <>
    <strong>Verify your e-mail address.</strong> Open the link that we sent to {email} and enter
    your password. Then you can claim gateways.
  </>
);
export const sendAgain = "Send again";
export const alreadyVerified = "I have verified it";
