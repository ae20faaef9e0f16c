import type { ComponentChildren } from "preact";

export const cameraUnusable =
  "The camera can't be used. Allow it in the browser, or type the code.";
export const scanTheLabel = "Scan the label";
export const camera = "Camera";
export const cancel = "Cancel";
export const codeCopied = "Code copied.";
export const stepRegister = "2. Register it and send a record";
export const language = "Language";
export const code = "Code";
export const copyCode = "Copy code";
export const waitingForRegistration = "Waiting for its registration…";
export const registeredAt = (registeredAt: string) => `Registered on ${registeredAt}`;
export const waitingToClaim = "Waiting for its first contact…";
export const waitingForServer = "The server does not answer. Trying again…";
export const registeredAndClaimed = "The gateway has registered, and it is yours.";
export const verifyFirst =
  "Your e-mail address is not verified. The server may require that you verify it before you can own a gateway.";
export const stepWaitHint =
  "Run the program. When the gateway registers, it becomes yours, and its page opens.";
export const waitingForRecord = "Waiting for its first record…";
export const firstRequestAt = (firstUsedAt: string) => `First request on ${firstUsedAt}`;
export const openDevice = "Open its page";
export const stepClaim = "3. Wait for its first contact";
export const stepClaimHint =
  "A claimed gateway is in your list. If the server refuses what it sends, its page says why.";
export const claimDevice = (deviceId: string) => `Claim ${deviceId}`;
export const connectAGateway = "Connect a gateway";
export const noLabelYet = (link: ComponentChildren) => (
  <>Are you building a gateway that has no label yet? {link}.</>
);
export const claimWithCode = "Claim it with its code";
export const connectHint = (link: ComponentChildren) => (
  <>Register it, send a record, and claim it. Does it already have a label? {link} instead.</>
);
export const stepIdentity = "1. Choose its identity";
export const stepIdentityHint =
  "The claim code was generated in this browser. Print it on the label: anybody who knows it can claim the gateway.";
export const deviceId = "Device ID";
export const hardwareId = "Hardware ID";
export const claimCode = "Claim code";
