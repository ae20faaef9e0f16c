import type { Logger } from "@device-gateway/core";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { nameRequest } from "./name-request.js";
import { sendProblem } from "./send-problem.js";
import { setSecurityHeaders } from "./set-security-headers.js";

const welcome = `Device Gateway

The API is at /api/v1, and at /v1 for older firmware.
Its OpenAPI document is at /api/v1/openapi.json.
`;
const pageNotBuilt = "The page is not built. To build it, run: npm start\n";
const pageNeedsAccounts = "The page needs accounts. To have both, set ACCOUNTS=1.\n";

export interface AppOptions {
  readonly trustedProxies: number;
  /** What is served, in this order: accounts, the page's routes, the page. */
  readonly handlers: readonly RequestHandler[];
  readonly logger: Logger;
  /** Whether the server has accounts. Without them, it serves no page. Default: true. */
  readonly accounts?: boolean;
  /** Time without progress after which the connection of a client that does not read a response ends (§9). Default: 60,000 ms. */
  readonly stallMs?: number;
}

const badRequest = {
  code: "invalid_request",
  detail: "The path or the body cannot be read. Send a valid path, and a body in valid JSON.",
};
const refusals = new Map([
  [413, { code: "payload_too_large", detail: "The body is too large. Send a smaller one." }],
  [
    415,
    {
      code: "unsupported_media_type",
      detail: "The body's encoding is not supported. Send JSON in UTF-8, without compression.",
    },
  ],
]);

/** Returns the status of an error that the client caused. Express and its parsers set it. */
function clientStatusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

/** Creates the Express app that serves everything but the API. Without a page, `/` is a text for browsers. */
export function createApp({
  trustedProxies,
  handlers,
  logger,
  accounts = true,
  stallMs = 60_000,
}: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", trustedProxies);
  app.use((_request, response, next) => {
    // A handler may take longer before its response begins.
    response.setTimeout(stallMs, () => {
      if (response.headersSent) response.destroy();
    });
    next();
  });
  app.use(nameRequest, setSecurityHeaders, ...handlers);
  app.get("/", (_request, response) => {
    response.type("text").send(welcome + (accounts ? pageNotBuilt : pageNeedsAccounts));
  });
  app.use((_request, response) => {
    response.status(404).type("text").send("Not found. The API is at /api/v1.\n");
  });
  // Without this, Express prints errors itself, without the log's redaction. Express recognises an error handler by its
  // four parameters.
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    const { method, path, headers } = request;
    const fields = { requestId: headers["x-request-id"], method, path };
    const status = clientStatusOf(error);
    if (status !== undefined && !response.headersSent) {
      // Without the error: it has the body and parts of it.
      logger.debug({ ...fields, status }, "A request outside the gateway was refused");
      sendProblem(request, response, { status, ...(refusals.get(status) ?? badRequest) });
      return;
    }
    logger.error({ ...fields, err: error }, "A request failed outside the gateway");
    response.status(500).end();
  };
  app.use(onError);
  return app;
}
