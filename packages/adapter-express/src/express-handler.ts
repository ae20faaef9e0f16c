import type { Gateway } from "@device-gateway/core";
import {
  guardRequest,
  readNodeBody,
  streamNodeBody,
  toGatewayRequest,
  writeGatewayResponse,
} from "@device-gateway/core/node";
import type { Request, RequestHandler } from "express";
import { readParsedBody, streamParsedBody } from "./parsed-body.js";

/** Reads the body from the stream, or takes what a body parser before us made of it. */
const readBody = (request: Request, limit: number) =>
  request.readableDidRead ? readParsedBody(request, limit) : readNodeBody(request, limit);

const streamBody = (request: Request) =>
  request.readableDidRead ? streamParsedBody(request) : streamNodeBody(request);

/**
 * Makes a gateway a handler for `app.use`, at any mount path. What is not the gateway's goes on to
 * the next handler. The client's address is Express' own `req.ip`: set "trust proxy" on the app. Pipelined requests
 * for the gateway are bounded; `guardConnections` of `core/node` around the app bounds those for other handlers too.
 */
export function toExpressHandler(gateway: Gateway): RequestHandler {
  return (request, response, next) => {
    if (!gateway.serves(request.path)) {
      next();
      return;
    }
    const handle = () => {
      const gatewayRequest = toGatewayRequest(request, {
        url: request.url,
        clientAddress: request.ip ?? null,
        json: (limit) => readBody(request, limit),
        stream: () => streamBody(request),
      });
      void gateway
        .handle(gatewayRequest)
        .then((answer) => writeGatewayResponse(answer, response))
        .catch(next);
    };
    guardRequest(request, response, handle);
  };
}
