import { createAlerts, type RunningAlerts, startAlerts } from "@device-gateway/alerts";
import type { Gateway, GatewayStore, Logger } from "@device-gateway/core";
import type { Accounts } from "../accounts/accounts.js";
import type { SendMail } from "../accounts/mail/send-mail.js";
import type { Settings } from "../settings/settings.js";
import { createAlertMailChannel } from "./alert-mail-channel.js";
import { createUnsubscribeTokens } from "./unsubscribe-tokens.js";

export interface ServerAlertOptions {
  readonly settings: Settings;
  readonly store: GatewayStore;
  readonly gateway: Gateway;
  readonly logger: Logger;
  readonly pepper: string;
  /** The page's base URL. */
  readonly url: string;
  /** Undefined: alerts are not mailed. */
  readonly accounts: Accounts | undefined;
  readonly sendMail: SendMail;
}

/** Evaluates alert rules and mails alerts, unless the settings turn that off. */
export function startServerAlerts(options: ServerAlertOptions): RunningAlerts | undefined {
  const { settings, store, gateway, logger, pepper, url, accounts, sendMail } = options;
  if (!settings.ALERTS) return undefined;
  const mail =
    accounts &&
    createAlertMailChannel({
      ...{ url, sendMail, tokens: createUnsubscribeTokens(pepper) },
      findAddress: accounts.findAddress,
      operatorAddresses: settings.OPERATOR_EMAILS ?? [],
    });
  const alerts = createAlerts({
    ...{ store, gateway, logger, channels: mail === undefined ? [] : [mail] },
    presence: settings.PRESENCE_EVENTS,
    fleetSilenceShare: settings.ALERT_FLEET_SILENCE_PERCENT / 100,
  });
  return startAlerts(alerts, { logger });
}
