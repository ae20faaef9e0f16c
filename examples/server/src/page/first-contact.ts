import { customer, type Gateway, operator } from "@device-gateway/core";
import type { FirstContactAnswer } from "@device-gateway/example-dashboard/site-answer";
import { type Request, Router } from "express";
import type { Account, FindAccount } from "../accounts/find-account.js";
import { createSameOriginCheck } from "../accounts/refuse-cross-site.js";
import { readJson } from "../http/read-json.js";

/** The most users and devices that are remembered. The oldest is forgotten first, and may be tried once more. */
const maxRemembered = 10_000;

/** Errors of a claim that refuse the code and use up an attempt. */
const refusals: ReadonlySet<string> = new Set(["invalid_claim", "device_secret_required"]);

/** Selects the event of a device's latest registration, of a new device or again. */
const latestRegistration = {
  kinds: "device.registered,device.registered_again",
  order: "newest",
  limit: 1,
} as const;

interface Expected {
  readonly deviceId: string;
  readonly claimCode: string;
}

interface FirstContactOptions {
  readonly publicUrl: string | undefined;
  /** Whether only a user with a verified address gets the device. */
  readonly requireVerifiedEmail: boolean;
  /** Makes a stop wait for a claim. */
  readonly track: (work: Promise<void>) => Promise<void>;
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
 * A user's code is tried once for each registration of the device, with the claim's own budgets (§9), and only while
 * nobody owns the device. So the route gives nobody more guesses. It responds before the code is checked: its time
 * does not reveal whether the code is correct.
 */
export function createFirstContactRoute(
  gateway: Gateway,
  findAccount: FindAccount,
  { publicUrl, requireVerifiedEmail, track }: FirstContactOptions,
): Router {
  /** The registration on which each user's code for a device is being tried or was refused. */
  const tried = new Map<string, number>();
  const inspector = gateway.as(operator({ id: "first-contact" }));

  /** Returns the id of the event of the device's latest registration, or 0 if the event log does not answer. */
  async function findRegistration(deviceId: string): Promise<number> {
    const read = await inspector.readAuditTrail({ query: { ...latestRegistration, deviceId } });
    const [event] = read.isOk() && "body" in read.value ? read.value.body.events : [];
    return event?.id ?? 0;
  }

  async function tryToClaim(
    { user }: Account,
    { deviceId, claimCode }: Expected,
    clientAddress: string | null,
  ): Promise<void> {
    const registration = await findRegistration(deviceId);
    const key = JSON.stringify([user.id, deviceId]);
    const last = tried.get(key);
    if (last !== undefined && (last === registration || registration === 0)) return;
    tried.set(key, registration);
    const [oldest] = tried.keys();
    if (tried.size > maxRemembered && oldest !== undefined) tried.delete(oldest);
    const api = gateway.as(customer(user), { clientAddress, throttled: true });
    const claim = await api.claimDevice({ body: { deviceId, claimCode } });
    if (claim.isErr() && refusals.has(claim.error.code)) return;
    // The code was correct or was not checked, so it may be tried again.
    if (tried.get(key) === registration) tried.delete(key);
  }

  async function answer(request: Request): Promise<FirstContactAnswer | 400 | 401> {
    const { cookie } = request.headers;
    const account = cookie === undefined ? null : await findAccount({ cookie });
    if (account === null) return 401;
    const expected = readExpected(request.body);
    if (expected === undefined) return 400;
    const { user } = account;
    const found = await inspector.inspectDevice({ params: { deviceId: expected.deviceId } });
    if (found.isErr()) return { claimed: false };
    const { ownerId, revokedAt } = found.value.body.device;
    const mayOwn = user.emailVerified || !requireVerifiedEmail;
    if (ownerId === null && revokedAt === null && mayOwn)
      void track(tryToClaim(account, expected, request.ip ?? null));
    return { claimed: ownerId === user.id };
  }

  const router = Router();
  router.post(
    "/api/site/first-contact",
    createSameOriginCheck(publicUrl),
    readJson(4_000),
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
