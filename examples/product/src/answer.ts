import type { CallFailure } from "@device-gateway/core";
import type { Request, RequestHandler } from "express";

type Answered = { body: unknown };
/** The result of a call of the gateway. */
type Called = { match(ok: (a: Answered) => void, failed: (failure: CallFailure) => void): void };

/** Answers with the result of a call. There is no call if nobody has signed in. */
export const answer =
  (call: (request: Request) => Promise<Called> | undefined, success = 200): RequestHandler =>
  async (request, response) => {
    const called = await call(request);
    if (called === undefined) return void response.status(401).json({ detail: "Sign in first." });
    called.match(
      ({ body }) => response.status(success).json(body),
      ({ status, detail, refusal }) => response.status(status).json({ detail, ...refusal }),
    );
  };
