import type { ComponentChildren } from "preact";

export const accountDeleted = "Your account has been deleted.";
export const deleteAccount = "Delete account";
export const deletionReleasesDevices =
  "This releases all your devices, and you lose their readings.";
export const deleteThisAccount = "Delete this account";
export const confirmDeletion = "Delete your account?";
export const deletionHint =
  "Afterwards, anyone with the code of one of your devices can claim it. You can't undo this.";
export const emailAddress = "E-mail address";
export const currentAddress = (email: string) => `Your address is ${email}.`;
export const newEmailAddress = "New e-mail address";
export const changeAddressHint =
  "We send a link to your current address, and then one to the new address. Open both while you are signed in.";
export const changeAddress = "Change address";
export const linkSentToCurrentAddress =
  "We have sent a link to your current address. Open it here.";
export const passwordChanged = "Your password has been changed.";
export const password = "Password";
export const passwordHint = "A new password signs you out on all other devices.";
export const currentPassword = "Current password";
export const newPassword = "New password";
export const passwordRules =
  "10 to 128 characters of any kind. A few words that you make up are best.";
export const changePassword = "Change password";
export const recoveryCodes = "Your recovery codes";
export const recoveryCodesHint =
  "Keep them where you can find them without your phone. Each works once. They are not shown again.";
export const downloadCodes = "Download codes";
export const codesKept = "I have kept them";
export const leaveCodes = "The recovery codes are not shown again. Leave without keeping them?";
export const yourPassword = "Your password";
export const setUpSecondFactor = "Set up second factor";
export const scanWithAuthenticator =
  "Scan this code with your authenticator app, or enter the secret by hand.";
export const authenticatorQrCode = "QR code for the authenticator app";
export const secret = (secret: ComponentChildren) => (
  <>
    Secret: <code class="wrap">{secret}</code>
  </>
);
export const codeOfApp = "Code that the app shows";
export const turnOn = "Turn on";
export const secondFactorIsOff = "The second factor is off.";
export const newRecoveryCodes = "New recovery codes";
export const turnOff = "Turn off";
export const secondFactor = "Second factor";
export const on = "On";
export const off = "Off";
export const secondFactorHint =
  "With a second factor, a sign-in also needs a code from an app on your phone.";
export const sessionsUnread = "Your sessions could not be read. Reload the page.";
export const sessions = "Sessions";
export const sessionsHint =
  "A session ends after a week without use, and after 30 days in any case.";
export const thisSession = " (this session)";
export const unknownAddress = "unknown";
export const sessionDetails = (ipAddress: string, createdAt: string, updatedAt: string) =>
  `Address ${ipAddress}. Signed in ${createdAt}, last used ${updatedAt}.`;
export const endNamedSession = (program: string, createdAt: string) =>
  `End session: ${program}, signed in ${createdAt}`;
export const endSession = "End session";
export const endAllOtherSessions = "End all other sessions";
export const signedInAgain = "You are signed in again. Repeat the change.";
export const signInAgain = "Sign in again";
export const signInTooOld = "You signed in more than ten minutes ago.";
export const signIn = "Sign in";
export const cancel = "Cancel";
export const yourAccount = "Your account";
export const demoAccountHint =
  "This is the demo's account, which has no password. To try these settings, create an account of your own.";
export const openLinkSentTo = (newEmail: string) =>
  `Now open the link that we have sent to ${newEmail}.`;
export const addressChanged = (newEmail: string) => `Your address is ${newEmail} now.`;
export const newAddressIs = (newEmail: string) => (
  <>
    The new address of your account is <strong>{newEmail}</strong>.
  </>
);
export const confirm = "Confirm";
export const confirmTheChange = "Confirm the change";
export const changeYourAddress = "Change your e-mail address";
export const takeAccountBack = "Take your account back";
export const takeBackHint = (email: string) =>
  `This ends all sessions and pending changes of the account ${email}. The password no longer works, and you choose a new one next.`;
export const itWasNotMe = "It was not me: sign everybody out";
