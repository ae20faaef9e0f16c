import { beforeEach, expect, test, vi } from "vitest";
import { callWithToken } from "./call-with-token.js";

/** The paths of the requests, with the authorization of each. */
let requests: (readonly [string, string | null])[];

const tokenPath = "/api/auth/token";
const claimPath = "/api/v1/user/devices/claim";
/** Lets the server return these responses to a request for a token and to a claim. */
function respond(token: Response, claimed: Response): void {
  vi.stubGlobal("fetch", (url: string, { headers }: RequestInit) => {
    requests.push([url, new Headers(headers).get("authorization")]);
    return Promise.resolve(url === tokenPath ? token : claimed);
  });
}
const unauthorized = () => Response.json({ code: "unauthorized" }, { status: 401 });
const claim = () =>
  callWithToken("claimDevice", { body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" } });

beforeEach(() => {
  requests = [];
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  return () => void vi.useRealTimers();
});

test("a claim has the session as its bearer token", async () => {
  respond(Response.json({ token: "t1" }), Response.json({ status: "claimed" }));
  expect(await claim()).toMatchObject({ ok: true, value: { status: "claimed" } });
  expect(requests[1]).toEqual([claimPath, "Bearer t1"]);
});

test.each([
  [429, { "retry-after": "37" }, "Too many attempts. Wait 37 seconds, then try again."],
  [503, {}, "The server returned status 503. Try again."],
])(
  "a request for a token that is refused with %i and %j does not look like an ended session",
  async (status, headers, message) => {
    respond(Response.json({}, { status, headers }), unauthorized());
    expect(await claim()).toMatchObject({ ok: false, failure: { message } });
    expect(requests.map(([url]) => url)).toEqual([tokenPath]);
  },
);

test("if the session has ended, the claim fails with the reason of the API", async () => {
  respond(Response.json({}, { status: 401 }), unauthorized());
  expect(await claim()).toMatchObject({ ok: false, failure: { code: "unauthorized" } });
  expect(requests[1]).toEqual([claimPath, null]);
});
