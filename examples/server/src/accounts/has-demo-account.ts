import type { Settings } from "../settings/settings.js";
import { isLoopback } from "./is-local-request.js";

type Facts = Pick<Settings, "DEMO" | "ACCOUNTS" | "HOST" | "PUBLIC_URL" | "TRUSTED_PROXIES">;

/** Whether the demo has a customer whom anybody may be: only where nobody else can come in. */
export const hasDemoAccount = (settings: Facts) =>
  settings.DEMO &&
  settings.ACCOUNTS &&
  isLoopback(settings.HOST) &&
  settings.PUBLIC_URL === undefined &&
  settings.TRUSTED_PROXIES === 0;
