import { customer, type Gateway } from "@device-gateway/core";
import { Router } from "express";
import type { UnsubscribeTokens, Unsubscription } from "./unsubscribe-tokens.js";

export const unsubscribePath = "/api/alerts/unsubscribe";

/** The end of the last year that a timestamp can have. */
const forever = "9999-12-31T23:59:59Z";

/** A mail scanner that opens the link changes nothing: only the button does. */
const form = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Alert mails</title>
<body><p>Turn off these alert mails? The alerts still fire.</p>
<form method="post"><button>Turn off</button></form></body></html>
`;
const done = "The mails are turned off. The alerts still fire.\n";
const invalid = "The link is not valid. Use the link of the latest mail.\n";

/** Mutes a rule of the owner, or all of them. A rule that no longer exists sends no mails. */
async function mute(
  gateway: Pick<Gateway, "as">,
  { ownerId, ruleId }: Unsubscription,
): Promise<void> {
  const api = gateway.as(customer({ id: ownerId, emailVerified: true }));
  const muteOne = async (id: string) => {
    const body = { mutedUntil: forever };
    const changed = await api.changeAlertRule({ params: { ruleId: id }, body });
    if (changed.isOk() || changed.error.code === "alert_rule_not_found") return;
    throw new Error(changed.error.detail, { cause: changed.error.cause });
  };
  if (ruleId !== null) {
    await muteOne(ruleId);
    return;
  }
  const listed = await api.listAlertRules({ query: { limit: "500" } });
  if (listed.isErr()) throw new Error(listed.error.detail, { cause: listed.error.cause });
  for (const { id } of listed.value.body.rules) await muteOne(id);
}

/** Creates the route of the links in alert mails: with one click in the mail program (RFC 8058), or on a page. */
export function createUnsubscribeRoute(
  gateway: Pick<Gateway, "as">,
  tokens: UnsubscribeTokens,
): Router {
  const router = Router();
  const read = (token: unknown) => (typeof token === "string" ? tokens.read(token) : null);
  router.get(unsubscribePath, (request, response) => {
    if (read(request.query["token"]) === null) response.status(404).type("text").send(invalid);
    else response.set("cache-control", "no-store").type("html").send(form);
  });
  router.post(unsubscribePath, (request, response, next) => {
    const unsubscription = read(request.query["token"]);
    if (unsubscription === null) {
      response.status(404).type("text").send(invalid);
      return;
    }
    mute(gateway, unsubscription)
      .then(() => void response.type("text").send(done))
      .catch(next);
  });
  return router;
}
