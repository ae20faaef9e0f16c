import { customer, type Gateway, operator } from "@device-gateway/core";
import type { FirstContactAnswer } from "@device-gateway/example-dashboard/site-answer";
import express, { type Request, type RequestHandler, Router } from "express";
import type { Account, FindAccount } from "../accounts/find-account.js";
import { createSameOriginCheck } from "../accounts/refuse-cross-site.js";

/** The most users and devices that are remembered. The oldest is forgotten first, and may be tried once more. */
const maxRemembered = 10_000;

interface Attempt {
  /** The registration that the code was tried on. */
  readonly registeredAt: string;
  claimed: boolean;
}

interface Expected {
  readonly deviceId: string;
  readonly claimCode: string;
}

function readExpected(body: unknown): Expected | undefined {
  const { deviceId, claimCode } = (body ?? {}) as Partial<Record<keyof Expected, unknown>>;
  return typeof deviceId === "string" && typeof claimCode === "string"
    ? { deviceId, claimCode }
    : undefined;
}

/**
 * Creates `POST /api/site/first-contact`: a user waits for a device with a code, and gets it when it registers.
 *
 * A user's code is tried once for each registration of the device, with the claim's own budgets (§9). So the route gives
 * nobody more guesses. It responds before the code is checked, so that its time does not reveal whether the device exists.
 */
export function createFirstContactRoute(
  gateway: Gateway,
  findAccount: FindAccount,
  publicUrl: string | undefined,
): RequestHandler {
  const attempts = new Map<string, Attempt>();
  const inspector = gateway.as(operator({ id: "first-contact" }));

  async function tryToClaim(
    { user }: Account,
    { deviceId, claimCode }: Expected,
    clientAddress: string | null,
  ): Promise<void> {
    const found = await inspector.inspectDevice({ params: { deviceId } });
    if (found.isErr()) return;
    const { registeredAt } = found.value.body.device;
    const key = JSON.stringify([user.id, deviceId]);
    if (attempts.get(key)?.registeredAt === registeredAt) return;
    const attempt: Attempt = { registeredAt, claimed: false };
    attempts.set(key, attempt);
    const [oldest] = attempts.keys();
    if (attempts.size > maxRemembered && oldest !== undefined) attempts.delete(oldest);
    const api = gateway.as(customer(user), { clientAddress, throttled: true });
    const claim = await api.claimDevice({ body: { deviceId, claimCode } });
    attempt.claimed = claim.isOk();
    // Without an answer about the code, it may be tried again.
    if (claim.isErr() && claim.error.status >= 500) attempts.delete(key);
  }

  async function answer(request: Request): Promise<FirstContactAnswer | 400 | 401> {
    const { cookie } = request.headers;
    const account = cookie === undefined ? null : await findAccount({ cookie });
    if (account === null) return 401;
    const expected = readExpected(request.body);
    if (expected === undefined) return 400;
    const claimed =
      attempts.get(JSON.stringify([account.user.id, expected.deviceId]))?.claimed === true;
    if (!claimed && account.user.emailVerified)
      void tryToClaim(account, expected, request.ip ?? null);
    return { claimed };
  }

  const router = Router();
  router.post(
    "/api/site/first-contact",
    createSameOriginCheck(publicUrl),
    express.json({ limit: 4_000 }),
    (request, response, next) => {
      answer(request)
        .then((body) => {
          response.set("cache-control", "no-store");
          if (typeof body === "number") response.status(body).end();
          else response.json(body);
        })
        .catch(next);
    },
  );
  return router;
}
