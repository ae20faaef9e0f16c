import {
  type CommandForm,
  type DemoLabel,
  type DemoMailsAnswer,
  demoTokenHeader,
  type PeopleAnswer,
  type SiteAnswer,
} from "@device-gateway/example-dashboard/site-answer";
import { type Request, Router } from "express";
import type { DemoAccess } from "../accounts/demo/demo-access.js";
import type { FindAccount } from "../accounts/find-account.js";
import type { FindPeople, PeopleQuery } from "../accounts/find-people.js";
import type { KeptMail } from "../accounts/mail/outbox.js";
import { isLocalRequest } from "../http/is-local-request.js";

/** What the demo shows to its page, on this machine only and only with the token of this start. */
export interface DemoSite {
  readonly access: DemoAccess;
  readonly mails: readonly KeptMail[];
  /** Returns the demo gateway's id and claim code. Null until it has registered. */
  readLabel(): Promise<DemoLabel | null>;
}

export interface SiteOptions {
  /** The page's base URL, for claim links. */
  readonly url: string;
  readonly findAccount: FindAccount;
  readonly findPeople: FindPeople;
  /** The commands that users can send to devices. */
  readonly commands: readonly CommandForm[];
  /** Whether users can have webhooks of their own devices. */
  readonly webhooksOfOwners: boolean;
  readonly demo: DemoSite | undefined;
}

function toPeopleQuery(parameters: URLSearchParams): PeopleQuery {
  const email = parameters.get("email");
  return email === null ? { ids: parameters.getAll("id") } : { email };
}

/** Creates the routes that the page needs in addition to the API. */
export function createSiteRoutes({
  url,
  findAccount,
  findPeople,
  commands,
  webhooksOfOwners,
  demo,
}: SiteOptions): Router {
  const router = Router();
  const readDemo = async (request: Request): Promise<SiteAnswer["demo"]> => {
    if (demo === undefined || !isLocalRequest(request)) return null;
    const open = demo.access.admits(request.headers[demoTokenHeader]);
    return { open, label: open ? await demo.readLabel() : null };
  };
  const readSite = async (request: Request): Promise<SiteAnswer> => {
    const { cookie } = request.headers;
    const found = cookie === undefined ? null : await findAccount({ cookie });
    const account = found && {
      email: found.email,
      name: found.name,
      emailVerified: found.user.emailVerified,
      operator: found.user.roles.includes("operator"),
      secondFactor: found.secondFactor,
      lacksFactor: found.lacksFactor,
    };
    const forUsers = found && { commands, webhooksOfOwners };
    return { url, account, ...forUsers, demo: await readDemo(request) };
  };
  /** Returns null to users who are not operators. */
  const readPeople = async (request: Request): Promise<PeopleAnswer | null> => {
    const { cookie } = request.headers;
    const found = cookie === undefined ? null : await findAccount({ cookie });
    if (!found?.user.roles.includes("operator")) return null;
    const query = toPeopleQuery(new URL(request.url, "http://localhost").searchParams);
    return { people: await findPeople(query) };
  };
  router.get("/api/site", (request, response, next) => {
    readSite(request)
      .then((site) => void response.set("cache-control", "no-store").json(site))
      .catch(next);
  });
  router.get("/api/site/people", (request, response, next) => {
    readPeople(request)
      .then((body) => {
        response.set("cache-control", "no-store");
        if (body === null) response.status(403).end();
        else response.json(body);
      })
      .catch(next);
  });
  router.get("/api/demo/mails", (request, response) => {
    // Links in mails give access to accounts, so clients behind a proxy must not read them.
    if (
      demo === undefined ||
      !isLocalRequest(request) ||
      !demo.access.admits(request.headers[demoTokenHeader])
    ) {
      response.status(404).end();
      return;
    }
    const body: DemoMailsAnswer = { mails: demo.mails };
    response.set("cache-control", "no-store").json(body);
  });
  return router;
}
