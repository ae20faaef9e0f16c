export const tooManyWrongCodes = (wait: string) =>
  `Too many wrong codes. Try again in ${wait}. The code on the label stays valid.`;
export const invalidClaim =
  "The device ID and code do not match a registered gateway. Check both on its label, and make sure that the gateway has been online.";
export const claimAGateway = "Claim a gateway";
export const gatewayClaimed = "Gateway claimed.";
export const alreadyOwned = "You already own this gateway.";
export const filledByLink =
  "The link filled in the details from the label. Claim the gateway to see its readings.";
export const enterDetails =
  "Enter the details from its label, or scan the QR code with your phone's camera.";
export const scanTheLabel = "Scan the label";
export const deviceId = "Device ID";
export const claimCode = "Claim code";
export const claimCodeExample = "ABCD-EFGH";
export const claimCodeHint = "Upper or lower case, with or without hyphens.";
export const claiming = "Claiming…";
export const claimThisGateway = "Claim this gateway";
export const verifyFirst = "Verify your e-mail address first. This page keeps the code for you.";
export const askFormerOwner =
  "If you bought it from its former owner, ask them to release it first.";
export const demoLabel = "The demo gateway's label";
export const claimLinkQrCode = "QR code of the claim link";
export const demoLabelHint = "A real gateway has this printed on it, to scan or to type.";
export const claimDemoGateway = "Claim the demo gateway";
