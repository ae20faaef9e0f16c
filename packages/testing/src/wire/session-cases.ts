import type { SessionAuthenticator } from "@device-gateway/core";
import { expect } from "vitest";
import { expectRetryAfter } from "./world/expect-retry-after.js";
import type { WireCase } from "./world/wire-world.js";

const params = { deviceId: "gw-1" };

/** An embedder's sessions, identified by a cookie. */
const sessions: SessionAuthenticator = {
  async authenticateRequest(request) {
    const id = /session=(\w+)/.exec(request.header("cookie") ?? "")?.[1];
    if (id === undefined) return null;
    return { user: { id, emailVerified: true, roles: [] }, proof: "cookie" };
  },
};

/** Cases for §0 and §7: sessions with a cookie. */
export const sessionCases: readonly WireCase[] = [
  {
    name: "§0 an unsafe request with a cookie needs the same origin, and a safe one does not",
    options: { sessions, publicUrl: "https://gateway.example.com" },
    async run({ call, register, signIn }) {
      await register();
      const token = await signIn("alice");
      await call("claimDevice", { token, body: { ...params, claimCode: "ABCD-EFGH" } });
      const cookie = { cookie: "session=alice" };
      const rename = async (headers: Record<string, string>) => {
        const request = { params, body: { name: "Boat" }, headers: { ...cookie, ...headers } };
        const { status, body } = await call("renameDevice", request);
        return [status, body.code];
      };
      expect((await call("readDevice", { params, headers: cookie })).status).toBe(200);
      expect((await call("readDevice", { params })).status).toBe(401);
      expect(await rename({})).toEqual([403, "cross_site"]);
      for (const origin of ["https://evil.example", "null", "https://gateway.example.com.evil"]) {
        expect(await rename({ origin })).toEqual([403, "cross_site"]);
      }
      const ours = "https://gateway.example.com";
      expect(await rename({ origin: ours })).toEqual([200, undefined]);
      for (const site of ["cross-site", "same-site", "none"]) {
        expect(await rename({ "sec-fetch-site": site, origin: ours })).toEqual([403, "cross_site"]);
      }
      expect(await rename({ "sec-fetch-site": "same-origin" })).toEqual([200, undefined]);
    },
  },
  {
    name: "§0 a failing authenticator is 503, not 401",
    options: {
      sessions: { authenticateRequest: async () => Promise.reject(new Error("down")) },
      customers: { authenticateToken: async () => Promise.reject(new Error("down")) },
    },
    async run({ call }) {
      expect((await call("listDevices", { token: "x" })).status).toBe(503);
      const body = { ...params, claimCode: "ABCD-EFGH" };
      expect((await call("claimDevice", { token: "x", body })).status).toBe(503);
    },
  },
  {
    name: "§9 the dashboard requests of a user are limited per minute",
    options: { sessions, limits: { dashboardPerMinute: 12 } },
    async run({ call }) {
      const list = async () => call("listDevices", { headers: { cookie: "session=alice" } });
      for (let i = 0; i < 12; i++) expect((await list()).status).toBe(200);
      const refused = await list();
      expect(refused.status).toBe(429);
      expectRetryAfter(refused.headers, 5);
    },
  },
];
