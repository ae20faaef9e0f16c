import {
  type CallFailure,
  createTokenBucketThrottle,
  customer,
  type Gateway,
  type GatewayApi,
} from "@device-gateway/core";
import { clientAddressOf } from "@device-gateway/core/node";
import { type Request, type Response, Router } from "express";
import type { UnsubscribeTokens } from "./unsubscribe-tokens.js";

export const unsubscribePath = "/api/alerts/unsubscribe";

type RuleApi = Pick<GatewayApi<"customer">, "listAlertRules" | "changeAlertRule">;
type CallProblem = Pick<CallFailure, "status" | "detail" | "retryAfterSeconds" | "cause">;

/** The end of the last year that a timestamp can have, as the API returns it. */
const forever = "9999-12-31T23:59:59.000Z";
/** Seconds to wait if the gateway cannot handle a call now, as in the API's responses. */
const unavailableSeconds = 2;
/** Clicks of one owner. Otherwise somebody to whom a mail was forwarded could use up the owner's dashboard tokens. */
const clicksPerMinute = 10;

/** A mail scanner that opens the link changes nothing: only the button does. */
const form = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Alert mails</title>
<body><p>Turn off these alert mails? The alerts still fire.</p>
<form method="post"><button>Turn off</button></form></body></html>
`;
const done = "The mails are turned off. The alerts still fire.\n";
const invalid = "The link is not valid. Use the link of the latest mail.\n";

/** Mutes a rule. Returns why it could not, or null. A rule that no longer exists sends no mails. */
async function muteRule(api: RuleApi, ruleId: string): Promise<CallProblem | null> {
  const changed = await api.changeAlertRule({ params: { ruleId }, body: { mutedUntil: forever } });
  if (changed.isOk() || changed.error.code === "alert_rule_not_found") return null;
  return changed.error;
}

/** Mutes all rules. Returns why it could not mute the first that failed, or null. */
async function muteAll(api: RuleApi): Promise<CallProblem | null> {
  const listed = await api.listAlertRules({ query: { limit: "500" } });
  if (listed.isErr()) return listed.error;
  for (const { id, mutedUntil } of listed.value.body.rules) {
    // Costs no token, so that another click continues where a refused one stopped.
    if (mutedUntil === forever) continue;
    const problem = await muteRule(api, id);
    if (problem !== null) return problem;
  }
  return null;
}

/** Answers a click that the gateway refused for now. */
function askToRepeat(
  response: Response,
  { status, retryAfterSeconds }: Pick<CallProblem, "status" | "retryAfterSeconds">,
): void {
  const seconds = retryAfterSeconds ?? unavailableSeconds;
  const text = `Not all of these mails are turned off. Try again in ${seconds} s.\n`;
  response.status(status).set("retry-after", String(seconds)).type("text").send(text);
}

/**
 * Creates the route of the links in alert mails: with one click in the mail program (RFC 8058), or on a page. A link
 * needs no session and does not expire, so its clicks are limited, and draw from the owner's dashboard tokens.
 */
export function createUnsubscribeRoute(
  gateway: Pick<Gateway, "as">,
  tokens: UnsubscribeTokens,
): Router {
  const router = Router();
  const clicks = createTokenBucketThrottle();
  const read = (token: unknown) => (typeof token === "string" ? tokens.read(token) : null);

  async function unsubscribe(request: Request, response: Response): Promise<void> {
    const unsubscription = read(request.query["token"]);
    if (unsubscription === null) {
      response.status(404).type("text").send(invalid);
      return;
    }
    const { ownerId, ruleId } = unsubscription;
    const draw = { key: ownerId, cost: 1, perMinute: clicksPerMinute, now: Date.now() };
    const click = await clicks.take(draw);
    if (click.kind === "empty") {
      askToRepeat(response, { status: 429, retryAfterSeconds: click.retryAfterSeconds });
      return;
    }
    const clientAddress = clientAddressOf(request, request.ip);
    const owner = customer({ id: ownerId, emailVerified: true });
    const api = gateway.as(owner, { clientAddress, throttled: true });
    const problem = ruleId === null ? await muteAll(api) : await muteRule(api, ruleId);
    if (problem === null) response.type("text").send(done);
    else if (problem.status === 429 || problem.status === 503) askToRepeat(response, problem);
    else throw new Error(problem.detail, { cause: problem.cause });
  }

  router.get(unsubscribePath, (request, response) => {
    if (read(request.query["token"]) === null) response.status(404).type("text").send(invalid);
    else response.set("cache-control", "no-store").type("html").send(form);
  });
  router.post(unsubscribePath, (request, response, next) => {
    unsubscribe(request, response).catch(next);
  });
  return router;
}
