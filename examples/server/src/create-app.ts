import { toExpressHandler } from "@device-gateway/adapter-express";
import type { Gateway, Logger } from "@device-gateway/core";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { hardenAnswer } from "./harden-answer.js";
import { nameRequest } from "./name-request.js";

const welcome = `Device Gateway

The API stands at /api/v1 (and at /v1, for older firmware).
It describes itself at /api/v1/openapi.json.
The page is not built: npm start builds it.
`;

export interface AppOptions {
  readonly gateway: Gateway;
  readonly trustedProxies: number;
  /** What is served beside the API, in this order: accounts, what the page asks for, the page. */
  readonly handlers: readonly RequestHandler[];
  readonly logger: Logger;
}

/** The Express app around a gateway: the API, and a word for whoever opens it in a browser. */
export function createApp({ gateway, trustedProxies, handlers, logger }: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", trustedProxies);
  app.use(toExpressHandler(gateway), nameRequest, hardenAnswer, ...handlers);
  app.get("/", (_request, response) => {
    response.type("text").send(welcome);
  });
  app.use((_request, response) => {
    response.status(404).type("text").send("There is nothing here. The API stands at /api/v1.\n");
  });
  // Without this, Express prints errors past the log and its redaction. It takes a handler for
  // errors only with four parameters.
  const onError: ErrorRequestHandler = (error, { method, path, headers }, response, _next) => {
    const facts = { requestId: headers["x-request-id"], method, path };
    logger.error({ ...facts, err: error }, "Request failed outside the gateway");
    response.status(500).end();
  };
  app.use(onError);
  return app;
}
