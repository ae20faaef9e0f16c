import type { RequestHandler } from "express";
import { type Accounts, openAccounts } from "./accounts/accounts.js";
import { createDemoAccess } from "./accounts/demo/demo-access.js";
import { hasDemoAccount } from "./accounts/demo/has-demo-account.js";
import { createOutbox } from "./accounts/mail/outbox.js";
import type { SendMail } from "./accounts/mail/send-mail.js";
import { type TrackedMails, trackMails } from "./accounts/mail/track-mails.js";
import { writeDemoToken } from "./demo/demo-customer.js";
import { readDemoLabel } from "./demo/demo-label.js";
import { findPageFolder } from "./page/page-folder.js";
import { servePage } from "./page/serve-page.js";
import { createSiteRoutes } from "./page/site-routes.js";
import type { ServerData, ServerOptions } from "./server-options.js";
import type { Settings } from "./settings/settings.js";

export interface Site {
  readonly accounts: Accounts | undefined;
  readonly handlers: RequestHandler[];
  readonly sendMail: SendMail;
  /** Makes `settleMails` wait for work that may end with a mail. */
  readonly track: TrackedMails["track"];
  /** Resolves once every mail that was begun is sent or has failed, and the work before the mails has ended. */
  readonly settleMails: () => Promise<void>;
  readonly demoUrl: string | undefined;
}

/** Builds the accounts, the page's routes and the page. Without accounts, builds none of them. */
export async function buildSite(
  settings: Settings,
  { logger, sendMail = async () => {}, pageFolder = findPageFolder() }: ServerOptions,
  { secrets, declared }: ServerData,
  url: string,
): Promise<Site> {
  const outbox = createOutbox(sendMail);
  const access = hasDemoAccount(settings) ? createDemoAccess() : undefined;
  const { send, track, settle: settleMails } = trackMails(access ? outbox.send : sendMail, logger);
  const mailing = { sendMail: send, track, settleMails };
  if (!settings.ACCOUNTS)
    return { ...mailing, accounts: undefined, handlers: [], demoUrl: undefined };
  const { DATA_DIR } = settings;
  const { pepper } = secrets;
  const accounts = await openAccounts({
    ...{ settings, pepper, url, sendMail: send, track, demo: access, logger },
  });
  if (accounts.demoToken !== undefined) await writeDemoToken(DATA_DIR, accounts.demoToken);
  const demo = access && {
    access,
    mails: outbox.mails,
    readLabel: () => readDemoLabel(DATA_DIR),
  };
  const site = createSiteRoutes({
    url: settings.PUBLIC_URL ?? url,
    findAccount: accounts.findAccount,
    findPeople: accounts.findPeople,
    commands: declared.forms,
    webhooksOfOwners: settings.WEBHOOKS && settings.WEBHOOKS_OF_OWNERS,
    demo,
  });
  const handlers = [
    accounts.router,
    site,
    ...(pageFolder === undefined ? [] : [servePage(pageFolder)]),
  ];
  const demoUrl = access && `${url}/#demo=${access.token}`;
  return { ...mailing, accounts, handlers, demoUrl };
}
