import { Router } from "express";
import { isLocalRequest } from "../accounts/is-local-request.js";
import type { KeptMail } from "../accounts/outbox.js";

/** What the demo tells its page, and nobody but this machine. */
export interface DemoSite {
  readonly mails: readonly KeptMail[];
  /** The label of the demo gateway: what it is claimed with. Null until it has registered. */
  readLabel(): Promise<{ readonly deviceId: string; readonly claimCode: string } | null>;
}

export interface SiteFacts {
  /** Where the page is reached: claim links lead there. */
  readonly url: string;
  readonly demo: DemoSite | undefined;
}

/** What the page must know of its server before anybody signs in. */
export function createSiteRoutes({ url, demo }: SiteFacts): Router {
  const router = Router();
  router.get("/api/site", (request, response, next) => {
    const local = demo !== undefined && isLocalRequest(request);
    void (local ? demo.readLabel() : Promise.resolve(null))
      .then((label) => {
        const answer = { url, demo: local ? { label } : null };
        response.set("cache-control", "no-store").json(answer);
      })
      .catch(next);
  });
  router.get("/api/demo/mails", (request, response) => {
    if (demo === undefined || !isLocalRequest(request)) response.status(404).end();
    else response.set("cache-control", "no-store").json({ mails: demo.mails });
  });
  return router;
}
