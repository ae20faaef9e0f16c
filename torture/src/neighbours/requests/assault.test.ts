import { routes } from "@device-gateway/core/contract";
import { expect, it } from "vitest";
import { listAccountEndpoints } from "./account-endpoints.js";
import { type Assault, listAssaults, messagesOf, nameOf, openingOf } from "./assault.js";
import { routeEndpoints } from "./endpoints.js";
import { numbered, toWire } from "./message.js";

const identity = { deviceId: "gw-1", network: 7, headers: {}, deviceToken: "" };

it("attacks every route of the route table in each role that may call it, and one of each kind of refusal", () => {
  const attacks = (assaults: readonly Pick<Assault, "endpoint" | "role">[]) =>
    new Set(
      assaults.map(({ endpoint, role }) => endpoint.refusal(role) ?? `${endpoint.name} ${role}`),
    );
  const all = routeEndpoints.flatMap((endpoint) =>
    endpoint.roles.map((role) => ({ endpoint, role })),
  );
  expect(routeEndpoints.map(({ name }) => name)).toEqual(Object.keys(routes));
  expect(attacks(listAssaults(routeEndpoints))).toEqual(attacks(all));
  expect(attacks(all)).toContain("readTelemetryHistory customer");
  expect(attacks(all)).toContain("nobody device POST telemetryBodyBytes");
});

it("attacks the endpoints of accounts and page with bodies that their schemas accept", async () => {
  const endpoints = await listAccountEndpoints();
  const find = (path: string) => endpoints.find((endpoint) => endpoint.path === path);
  expect(find("/api/site")).toBeDefined();
  const [sample] = find("/api/auth/sign-in/email")?.samples("") ?? [];
  expect(sample?.body).toMatchObject({
    email: expect.stringContaining("@"),
    password: expect.any(String),
    rememberMe: true,
  });
});

it("finds the largest numbers that a query accepts", () => {
  const names = listAssaults(routeEndpoints).map(nameOf);
  expect(names).toContain("listDevices by customer, expensive parameters: limit=500");
});

it("sends large bodies in chunks, and requests behind a live stream", () => {
  const names = listAssaults(routeEndpoints).map(nameOf);
  expect(names).toContain("sendTelemetry by claimed device, chunked bodies");
  expect(names).not.toContain("registerDevice by nobody, chunked bodies");
  const behind = { mode: "behind a stream" } as Assault;
  expect(openingOf(behind, identity)?.target).toBe("/api/v1/dashboard/devices/gw-1/telemetry/live");
});

it("fills bodies up to the limit and gives each sent message its own keys", () => {
  const of = (mode: string) =>
    listAssaults(routeEndpoints).find((one) => nameOf(one) === `registerDevice by nobody, ${mode}`);
  const [largest] = messagesOf(of("largest bodies") as never, identity);
  expect(largest?.body.length).toBe(16_384);
  const [, , , keyed] = messagesOf(of("many keys") as never, identity);
  const [first, second] = [1, 2].map((n) => numbered(toWire(keyed as never), n));
  expect(first).toContain("x-forwarded-for: 2001:db8:7:001::000");
  expect(second).toContain('"deviceId":"flood-7-000002"');
  expect(first?.length).toBe(second?.length);
});
