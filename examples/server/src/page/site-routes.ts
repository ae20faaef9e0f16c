import type {
  DemoLabel,
  DemoMailsAnswer,
  SiteAnswer,
} from "@device-gateway/example-dashboard/site-answer";
import { Router } from "express";
import type { FindAccount } from "../accounts/find-account.js";
import { isLocalRequest } from "../accounts/is-local-request.js";
import type { KeptMail } from "../accounts/outbox.js";

/** What the demo tells its page, and nobody but this machine. */
export interface DemoSite {
  readonly mails: readonly KeptMail[];
  /** The label of the demo gateway: what it is claimed with. Null until it has registered. */
  readLabel(): Promise<DemoLabel | null>;
}

export interface SiteFacts {
  /** Where the page is reached: claim links lead there. */
  readonly url: string;
  readonly findAccount: FindAccount;
  readonly demo: DemoSite | undefined;
}

/** What the page asks of its server beside the API. */
export function createSiteRoutes({ url, findAccount, demo }: SiteFacts): Router {
  const router = Router();
  const readSite = async (cookie: string | undefined, local: boolean): Promise<SiteAnswer> => {
    const found = cookie === undefined ? null : await findAccount({ cookie });
    const account = found && {
      email: found.email,
      name: found.name,
      emailVerified: found.user.emailVerified,
      operator: found.user.roles.includes("operator"),
    };
    return { url, account, demo: demo && local ? { label: await demo.readLabel() } : null };
  };
  router.get("/api/site", (request, response, next) => {
    readSite(request.headers.cookie, isLocalRequest(request))
      .then((answer) => void response.set("cache-control", "no-store").json(answer))
      .catch(next);
  });
  router.get("/api/demo/mails", (request, response) => {
    if (demo === undefined || !isLocalRequest(request)) {
      response.status(404).end();
      return;
    }
    const answer: DemoMailsAnswer = { mails: demo.mails };
    response.set("cache-control", "no-store").json(answer);
  });
  return router;
}
