import { type GatewayResponse, renderFailure } from "@device-gateway/core";
import type { Fault } from "./fault.js";

/** Letters of other scripts, because a client must not rely on ASCII. */
const portal = `<!DOCTYPE html><html><head><title>Wi-Fi</title></head>
<body><h1>Welcome · Willkommen · 欢迎</h1><form method="post" action="/login"><button>Go online</button></form></body></html>`;

const page = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8", ...headers },
  body,
});

/** Returns the response that a fault sends in place of the gateway's, or null if the gateway handles the request. */
export function answerInstead(fault: Fault | null): GatewayResponse | null {
  switch (fault?.kind) {
    case "unavailable": {
      const headers = { "retry-after": String(fault.retryAfterSeconds) };
      return renderFailure({ code: "unavailable" }, "planned", headers);
    }
    case "unauthorized":
      return renderFailure({ code: "unauthorized" }, "planned");
    case "server_error":
      return page(fault.status, `<html><body><h1>${fault.status}</h1>proxy</body></html>`);
    case "captive_portal":
      return page(200, portal);
    case "redirected":
      return page(fault.status ?? 302, portal, { location: fault.location ?? "/login" });
    default:
      return null;
  }
}
