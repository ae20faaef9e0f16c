import { expect } from "vitest";
import { sampleRegistration, type WireCase } from "./world/wire-world.js";

const megabytes = (count: number) => "x".repeat(count * 1024 * 1024);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

/** Cases for §0. */
export const conventionCases: readonly WireCase[] = [
  {
    name: "§0 liveness, readiness and the OpenAPI document answer without a token",
    async run({ call }) {
      expect((await call("readLiveness")).body).toEqual({ status: "ok" });
      expect((await call("readReadiness")).body).toEqual({ status: "ok" });
      expect((await call("readOpenApi")).body.paths["/api/v1/device/register"]).toBeDefined();
    },
  },
  {
    name: "§0 the OpenAPI document has a strong ETag, and If-None-Match with it is 304",
    async run({ fetch }) {
      const read = (headers: Record<string, string> = {}, method = "GET") =>
        fetch("/api/v1/openapi.json", { headers, method });
      const whole = await read();
      const text = await whole.text();
      const etag = whole.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      expect(whole.headers.get("cache-control")).toBe("public, no-cache");
      const again = await read({ "if-none-match": '"another"' });
      expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([
        200,
        etag,
        text,
      ]);
      for (const known of [etag, `W/${etag}`, `"another", ${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const kept = await read({ "if-none-match": known }, method);
          expect([kept.status, kept.headers.get("etag"), await kept.text()]).toEqual([
            304,
            etag,
            "",
          ]);
        }
      }
      const head = await read({}, "HEAD");
      expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    },
  },
  {
    name: "§0 every base path serves the same routes",
    options: { basePaths: ["/api/v1", "/v1"] },
    async run({ call, fetch }) {
      const body = sampleRegistration();
      expect((await call("registerDevice", { body, basePath: "/v1" })).status).toBe(201);
      expect((await call("registerDevice", { body })).status).toBe(200);
      expect((await fetch("/v2/device/register", { method: "POST" })).status).toBe(404);
    },
  },
  {
    name: "§0 an unknown path is 404, and a known path with another method is 405 with Allow",
    async run({ fetch }) {
      const unknown = await fetch("/api/v1/nothing/here");
      expect(unknown.status).toBe(404);
      expect(await unknown.json()).toMatchObject({ code: "not_found", status: 404 });
      const wrong = await fetch("/api/v1/device/config", { method: "DELETE" });
      expect(wrong.status).toBe(405);
      expect(wrong.headers.get("allow")).toBe("GET, HEAD");
      expect(await wrong.json()).toMatchObject({ code: "method_not_allowed" });
    },
  },
  {
    name: "§0 HEAD returns the headers of GET without the body",
    async run({ fetch }) {
      const response = await fetch("/healthz", { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("");
    },
  },
  {
    name: "§0 errors are problem documents with a stable code, and error repeats detail",
    async run({ call }) {
      const { status, body } = await call("registerDevice", { body: { deviceId: 5 } });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        code: "invalid_request",
        error: body.detail,
      });
      const paths = body.errors.map(({ path }: { path: string }) => path).sort();
      expect(paths).toEqual(["deviceId", "firmwareVersion", "hardwareId"]);
    },
  },
  {
    name: "§0 a valid X-Request-Id is returned, and an invalid one is replaced",
    async run({ fetch }) {
      const send = async (id: string) => {
        const { headers } = await fetch("/healthz", { headers: { "x-request-id": id } });
        return headers.get("x-request-id");
      };
      expect(await send("req-42.a:b")).toBe("req-42.a:b");
      expect(await send("with space")).toMatch(/^[\w-]{16}$/);
      expect(await send("x".repeat(129))).toMatch(/^[\w-]{16}$/);
    },
  },
  {
    name: "§0 malformed JSON and broken UTF-8 are 400 malformed_json",
    async run({ call }) {
      for (const raw of ["{", "nope", '{"a":1,}', new Uint8Array([0x22, 0xff, 0xfe, 0x22])]) {
        const { status, body } = await call("registerDevice", { raw });
        expect([status, body.code]).toEqual([400, "malformed_json"]);
      }
    },
  },
  {
    name: "§0 an empty body counts as absent",
    async run({ call }) {
      const { status, body } = await call("registerDevice", { raw: "" });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    },
  },
  {
    name: "§0 a missing Content-Type counts as JSON, and another type, charset or encoding is 415",
    async run({ call, fetch }) {
      const bytes = new TextEncoder().encode(JSON.stringify(sampleRegistration()));
      // fetch adds no Content-Type to a body of bytes.
      const untyped = await fetch("/api/v1/device/register", { method: "POST", body: bytes });
      expect(untyped.status).toBe(201);
      const refused = [
        { "content-type": "text/plain" },
        { "content-type": "application/json; charset=latin1" },
        { "content-type": 'application/json; a=b; charset="iso-8859-1"' },
        { "content-type": "application/json; charset=utf-8; charset=latin1" },
        { "content-type": "application/json; charset" },
        { "content-type": "application/jsonp" },
        { "content-type": "application/json, text/plain" },
        { "content-type": ";" },
        { "content-encoding": "gzip" },
      ];
      for (const headers of refused) {
        const { status } = await call("registerDevice", {
          body: sampleRegistration("gw-2"),
          headers,
        });
        expect(status).toBe(415);
      }
      const taken = [
        "application/vnd.gateway+json; charset=UTF-8",
        "application/json;",
        "application/json ; ;",
        "Application/JSON;version=1",
        'application/json; profile="x"; charset="utf-8";',
      ];
      for (const [n, type] of taken.entries()) {
        const { status } = await call("registerDevice", {
          body: sampleRegistration(`gw-typed-${n}`),
          headers: { "content-type": type },
        });
        expect([type, status]).toEqual([type, 201]);
      }
    },
  },
  {
    name: "§0 Accept never causes a 406",
    async run({ call }) {
      const headers = { accept: "image/png" };
      expect((await call("registerDevice", { body: {}, headers })).status).toBe(400);
      expect((await call("readLiveness", { headers })).status).toBe(200);
    },
  },
  {
    name: "§0 a body of 10 MB is 413 with or without Content-Length, and the connection stays usable",
    async run({ call, register }) {
      const { token } = await register();
      const raw = JSON.stringify({ padding: megabytes(10) });
      expect((await call("registerDevice", { raw })).status).toBe(413);
      expect((await call("sendTelemetry", { raw, token })).status).toBe(413);
      expect((await call("readConfig", { token })).status).toBe(200);
    },
  },
  {
    name: "§9 a body as large as the limit is accepted, and a larger one is 413",
    async run({ call, register }) {
      const { token } = await register();
      const sized = (size: number) => JSON.stringify({ p: "x".repeat(size - 8) });
      expect((await call("sendTelemetry", { raw: sized(262_144), token })).status).toBe(200);
      expect((await call("sendTelemetry", { raw: sized(262_145), token })).status).toBe(413);
      expect((await call("registerDevice", { raw: sized(16_384) })).status).toBe(400);
      expect((await call("registerDevice", { raw: sized(16_385) })).status).toBe(413);
    },
  },
  {
    name: "§0 unknown fields are ignored, including __proto__",
    async run({ call }) {
      const raw = `{"__proto__":{"polluted":true},"constructor":1,${JSON.stringify(sampleRegistration()).slice(1)}`;
      expect((await call("registerDevice", { raw })).status).toBe(201);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  },
  {
    name: "§0 a body of 100,000 nested brackets does not crash the gateway",
    options: { limits: { unclaimedBytesPerMinute: 0 } },
    async run({ call, register }) {
      const { token } = await register();
      const key = { "idempotency-key": "deep" };
      const send = async (raw: string, headers = {}) => {
        const { status, body } = await call("sendTelemetry", { raw, token, headers });
        return [status, body.code ?? body.rejected[0].code];
      };
      expect(await send("[".repeat(100_000))).toEqual([400, "malformed_json"]);
      expect(await send(nested(100_000))).toEqual([200, "not_an_object"]);
      expect(await send(`{"a":${nested(100_000)}}`)).toEqual([200, "too_deep"]);
      expect(await send(`{"ota":${nested(100_000)}}`)).toEqual([200, "too_deep"]);
      expect(await send(nested(100_000), key)).toEqual([400, "invalid_request"]);
      expect(await send(nested(1_001), key)).toEqual([400, "invalid_request"]);
      expect(await send(nested(1_000), key)).toEqual([200, "not_an_object"]);
      const raw = `{"deviceId":${nested(7_000)}}`;
      expect((await call("registerDevice", { raw })).status).toBe(400);
    },
  },
  {
    name: "§0 a missing, foreign or malformed token is 401 unauthorized, before the body is read",
    async run({ call, register }) {
      const { token } = await register();
      const [head, payload, signature] = token.split(".") as [string, string, string];
      const none = btoa('{"alg":"none","typ":"device+jwt"}').replaceAll("=", "");
      const foreign = `${head}.${btoa('{"sub":"gw-1","epoch":1}').replaceAll("=", "")}.${signature}`;
      const bad = [undefined, "", "x", foreign, `${none}.${payload}.`, `${token}x`, "a b"];
      for (const candidate of bad) {
        const headers = candidate === undefined ? {} : { authorization: `Bearer ${candidate}` };
        const { status, body, headers: sent } = await call("sendTelemetry", { raw: "{", headers });
        expect([status, body.code, body.error]).toEqual([401, "unauthorized", "Unauthorized"]);
        expect(sent.get("www-authenticate")).toMatch(/^Bearer/);
      }
      const basic = { authorization: `Basic ${token}` };
      expect((await call("readConfig", { headers: basic })).status).toBe(401);
      const lower = { authorization: `bearer ${token}` };
      expect((await call("readConfig", { headers: lower })).status).toBe(200);
    },
  },
];
