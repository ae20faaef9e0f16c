import { createHmac, timingSafeEqual } from "node:crypto";
import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { symmetricDecrypt } from "better-auth/crypto";

const stepMs = 30_000;

/** Computes the code of a time step (RFC 6238: SHA-1, 6 digits). */
export function codeOf(secret: string | Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}

export const stepAt = (time: number) => Math.floor(time / stepMs);

/** Returns whether a factor was turned on at a time or later, to within the 90 seconds for which a code is valid. */
export const isOnSince = ({ firstStep }: { readonly firstStep: number | null }, time: number) =>
  (firstStep ?? 0) + 2 > stepAt(time);

/** Returns the steps that a code can belong to: the current one, the one before and the one after. */
const stepsOf = (secret: string, code: string, now: number) =>
  [-1, 0, 1]
    .map((offset) => stepAt(now) + offset)
    .filter((step) => {
      const expected = Buffer.from(codeOf(secret, step));
      return code.length === expected.length && timingSafeEqual(Buffer.from(code), expected);
    });

const used = {
  code: "INVALID_CODE",
  message: "This code was already used. Wait for the next one.",
};

interface Factor {
  readonly id: string;
  readonly secret: string;
  readonly lastStep: number;
}

/**
 * Accepts each code once (RFC 6238, section 5.2), also if several requests use it at the same time. The first code turns
 * the second factor on and ends all other sessions, because they did not prove it.
 */
const spendCode = createAuthMiddleware(async (call) => {
  const { newSession, adapter, internalAdapter, secretConfig } = call.context;
  if (!newSession) return;
  const { session, user } = newSession;
  const where = [{ field: "userId", value: user.id }];
  const { code } = call.body as { readonly code: string };
  // Two simultaneous requests may have begun the setup twice. The code belongs to one of the two.
  let step = 0;
  let factor: Factor | undefined;
  for (const each of await adapter.findMany<Factor>({ model: "twoFactor", where })) {
    const secret = await symmetricDecrypt({ key: secretConfig, data: each.secret });
    const found = stepsOf(secret, code, Date.now()).at(-1);
    if (found !== undefined) [step, factor] = [found, each];
  }
  const id = { field: "id", value: factor?.id ?? "" };
  const isFirst = factor?.lastStep === 0;
  const spent = await adapter.incrementOne({
    model: "twoFactor",
    where: [id, { field: "lastStep", operator: "lt", value: step }],
    increment: {},
    set: { lastStep: step, ...(isFirst && { firstStep: step }) },
  });
  if (spent === null) {
    await internalAdapter.deleteSession(session.token);
    throw APIError.from("UNAUTHORIZED", used);
  }
  if (!isFirst) return;
  const others = { field: "token", operator: "ne" as const, value: session.token };
  await adapter.deleteMany({ model: "session", where: [...where, others] });
  await adapter.deleteMany({ model: "twoFactor", where: [...where, { ...id, operator: "ne" }] });
});

const ownStep = {
  type: "number",
  required: false,
  defaultValue: 0,
  input: false,
  returned: false,
} as const;

/** Creates a plugin that makes a code of the second factor work once. better-auth accepts it for up to 90 seconds. */
export const oneTimeCodes = () =>
  ({
    id: "one-time-codes",
    schema: {
      twoFactor: {
        fields: {
          /** The time step of the last code that was used. */
          lastStep: ownStep,
          /** The time step of the code that turned the factor on. */
          firstStep: ownStep,
        },
      },
    },
    hooks: {
      after: [{ matcher: ({ path }) => path === "/two-factor/verify-totp", handler: spendCode }],
    },
  }) satisfies BetterAuthPlugin;
