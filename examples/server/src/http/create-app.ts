import type { Logger } from "@device-gateway/core";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { nameRequest } from "./name-request.js";
import { setSecurityHeaders } from "./set-security-headers.js";

const welcome = `Device Gateway

The API is at /api/v1, and at /v1 for older firmware.
Its OpenAPI document is at /api/v1/openapi.json.
The page is not built. To build it, run: npm start
`;

export interface AppOptions {
  readonly trustedProxies: number;
  /** What is served, in this order: accounts, the page's routes, the page. */
  readonly handlers: readonly RequestHandler[];
  readonly logger: Logger;
}

/** Creates the Express app that serves everything but the API. Without a page, `/` is a text for browsers. */
export function createApp({ trustedProxies, handlers, logger }: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", trustedProxies);
  app.use(nameRequest, setSecurityHeaders, ...handlers);
  app.get("/", (_request, response) => {
    response.type("text").send(welcome);
  });
  app.use((_request, response) => {
    response.status(404).type("text").send("Not found. The API is at /api/v1.\n");
  });
  // Without this, Express prints errors itself, without the log's redaction. Express recognises an error handler by its
  // four parameters.
  const onError: ErrorRequestHandler = (error, { method, path, headers }, response, _next) => {
    const fields = { requestId: headers["x-request-id"], method, path };
    logger.error({ ...fields, err: error }, "A request failed outside the gateway");
    response.status(500).end();
  };
  app.use(onError);
  return app;
}
