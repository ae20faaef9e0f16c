import type { IncomingMessage } from "node:http";
import type { Gateway } from "@device-gateway/core";
import {
  guardRequest,
  type RequestReading,
  readNodeBody,
  streamNodeBody,
  toGatewayRequest,
  writeGatewayResponse,
} from "@device-gateway/core/node";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { readParsedBody, streamParsedBody } from "./parsed-body.js";
import { readRefusedBody, streamRefusedBody, toRefusal } from "./refused-body.js";

/** Returns whether a body parser has read the stream. An empty stream has ended without data. */
const isRead = ({ readableDidRead, readableEnded }: Request) => readableDidRead || readableEnded;

/** Reads the body from the stream, or takes `req.body` if a body parser has read the stream before. */
const readBody = (request: Request, limit: number) =>
  isRead(request) ? readParsedBody(request, limit) : readNodeBody(request, limit);

const streamBody = (request: Request) =>
  isRead(request) ? streamParsedBody(request) : streamNodeBody(request);

/** The address that Express derived with "trust proxy", which also decides which requests share a turn. */
const clientAddress = (request: IncomingMessage) => (request as Partial<Request>).ip;

/** The handlers of a gateway: of requests, and of those whose body a parser before the gateway refused. */
export type ExpressHandlers = [RequestHandler, ErrorRequestHandler];

/**
 * Returns the Express handlers of a gateway, for `app.use` at any mount path. Requests that the gateway does not serve
 * go to the next handler. The client's address is `req.ip`: set "trust proxy" on the app if a proxy is in front, else all
 * clients behind it share one set of limits.
 * The handlers limit pipelined requests for the gateway. To limit them for other handlers too, use `guardServer` of
 * `core/node`. Behind a proxy, pass it `trustedProxies`, because the outer guard decides which requests share a turn.
 *
 * @example
 * app.use("/iot", toExpressHandler(gateway));
 */
export function toExpressHandler(gateway: Gateway): ExpressHandlers {
  const answer = (
    request: Request,
    response: Response,
    next: (error?: unknown) => void,
    body: Pick<RequestReading, "json" | "stream">,
  ) => {
    const handle = () => {
      const gatewayRequest = toGatewayRequest(request, {
        url: request.url,
        mountPath: request.baseUrl,
        clientAddress: request.ip ?? null,
        ...body,
      });
      void gateway
        .handle(gatewayRequest)
        .then((result) => writeGatewayResponse(result, response))
        .catch(next);
    };
    guardRequest(request, response, handle, { clientAddress });
  };
  return [
    (request, response, next) => {
      if (!gateway.serves(request.path)) {
        next();
        return;
      }
      answer(request, response, next, {
        json: (limit) => readBody(request, limit),
        stream: () => streamBody(request),
      });
    },
    (error, request, response, next) => {
      const refused = toRefusal(error);
      if (refused === null || !gateway.serves(request.path)) {
        next(error);
        return;
      }
      answer(request, response, next, {
        json: async (limit) => readRefusedBody(refused, limit),
        stream: () => streamRefusedBody(refused),
      });
    },
  ];
}
