import { isLoopback } from "../../http/is-local-request.js";
import type { Settings } from "../../settings/settings.js";

type DemoSettings = Pick<Settings, "DEMO" | "ACCOUNTS" | "HOST" | "PUBLIC_URL" | "TRUSTED_PROXIES">;

/** Returns whether the demo has an account that needs no password. It does only if no other machine can reach the server. */
export const hasDemoAccount = (settings: DemoSettings) =>
  settings.DEMO &&
  settings.ACCOUNTS &&
  isLoopback(settings.HOST) &&
  settings.PUBLIC_URL === undefined &&
  settings.TRUSTED_PROXIES === 0;
