export const recoveryCode = "Recovery code";
export const authenticatorCode = "Code from your authenticator app";
export const useAppCode = "Use the app's code";
export const useRecoveryCode = "Use a recovery code";
export const goOn = "Continue";
