import { type AlertChannel, type AlertMessage, describeNotification } from "@device-gateway/alerts";
import type { Mail, SendMail } from "../accounts/mail/send-mail.js";
import { createMailedNotifications } from "./mailed-notifications.js";
import { unsubscribePath } from "./unsubscribe-route.js";
import type { UnsubscribeTokens } from "./unsubscribe-tokens.js";

export interface AlertMailOptions {
  /** The page's base URL. */
  readonly url: string;
  readonly sendMail: SendMail;
  readonly tokens: UnsubscribeTokens;
  /** Returns the verified address of an account, or null. */
  readonly findAddress: (userId: string) => Promise<string | null>;
  readonly operatorAddresses: readonly string[];
}

/** Notifications that a digest describes. The API lists all of them. */
const mostInDigest = 50;

function writeText({ notifications }: AlertMessage, url: string): string[] {
  const described = notifications.slice(0, mostInDigest).map(describeNotification);
  const lines = described.flatMap(({ subject, text }) => [subject, `  ${text}`, ""]);
  const left = notifications.length - described.length;
  return [...lines, ...(left > 0 ? [`And ${left} more.`, ""] : []), `Sent by ${url}/`];
}

function writeSubject({ notifications }: AlertMessage): string {
  const [first] = notifications;
  if (notifications.length > 1 || first === undefined) return `${notifications.length} alerts`;
  return describeNotification(first).subject;
}

/**
 * Creates the channel that mails alerts to the owners of rules, and to the operators. An owner without a verified address
 * gets none. A repeated mail has the same Message-ID.
 */
export function createAlertMailChannel(options: AlertMailOptions): AlertChannel {
  const { url, sendMail, tokens, findAddress, operatorAddresses } = options;
  const host = new URL(url).hostname;
  const mailed = createMailedNotifications();

  const toMail = (to: string, message: AlertMessage, suffix = ""): Mail => ({
    to,
    subject: writeSubject(message),
    text: writeText(message, url).join("\n"),
    messageId: `<${message.id}${suffix}@${host}>`,
  });

  function toOwnerMail(to: string, ownerId: string, message: AlertMessage): Mail {
    const rules = new Set(message.notifications.map(({ ruleId }) => ruleId));
    const [onlyRule = null] = rules.size === 1 ? rules : [];
    const token = tokens.create({ ownerId, ruleId: onlyRule });
    const link = `${url}${unsubscribePath}?token=${token}`;
    const mail = toMail(to, message);
    return { ...mail, text: `${mail.text}\nTurn off these mails: ${link}`, unsubscribeUrl: link };
  }

  async function mailOperator(to: string, message: AlertMessage, n: number): Promise<void> {
    const missing = mailed.missingOf(to, message);
    if (missing.notifications.length === 0) return;
    await sendMail(toMail(to, missing, `-${n}`));
    mailed.remember(to, missing);
  }

  /** Tries all addresses. If some fail, the delivery is repeated, and the others get nothing twice from this process. */
  async function mailOperators(message: AlertMessage): Promise<void> {
    const failures: unknown[] = [];
    for (const [n, to] of operatorAddresses.entries()) {
      await mailOperator(to, message, n).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) {
      const share = `${failures.length} of ${operatorAddresses.length}`;
      throw new AggregateError(
        failures,
        `The alert could not be mailed to ${share} addresses of operators. Check OPERATOR_EMAILS.`,
      );
    }
    for (const to of operatorAddresses) mailed.forget(to, message);
  }

  return {
    name: "mail",
    async send(message) {
      const { ownerId } = message;
      if (ownerId === null) return mailOperators(message);
      const to = await findAddress(ownerId);
      if (to !== null) await sendMail(toOwnerMail(to, ownerId, message));
    },
  };
}
