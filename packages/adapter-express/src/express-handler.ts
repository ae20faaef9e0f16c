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

/** Reads the body from the stream, or takes `req.body` if a body parser has read the stream before. */
const readBody = (request: Request, limit: number) =>
  request.readableDidRead ? readParsedBody(request, limit) : readNodeBody(request, limit);

const streamBody = (request: Request) =>
  request.readableDidRead ? streamParsedBody(request) : streamNodeBody(request);

/**
 * Returns an Express handler for a gateway, for `app.use` at any mount path. Requests that the gateway does not serve
 * go to the next handler. The client's address is `req.ip`: set "trust proxy" on the app if a proxy is in front.
 * The handler limits pipelined requests for the gateway. To limit them for other handlers too, wrap the app in
 * `guardConnections` of `core/node`.
 *
 * @example
 * app.use("/iot", toExpressHandler(gateway));
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
        .then((result) => writeGatewayResponse(result, response))
        .catch(next);
    };
    guardRequest(request, response, handle);
  };
}
