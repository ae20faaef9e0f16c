import { routes } from "@device-gateway/core/contract";
import { expect, it } from "vitest";
import { listAccountDoors } from "./account-doors.js";
import { listAssaults, messagesOf, nameOf } from "./assault.js";
import { routeDoors } from "./doors.js";
import { numbered, toWire } from "./message.js";

const identity = { deviceId: "gw-1", network: 7, headers: {}, deviceToken: "" };

it("attacks every route of the table", () => {
  const attacked = new Set(listAssaults(routeDoors).map(({ door }) => door.name));
  expect([...attacked]).toEqual(Object.keys(routes));
});

it("attacks the accounts and the page, with bodies that their schemas accept", async () => {
  const doors = await listAccountDoors();
  const find = (path: string) => doors.find((door) => door.path === path);
  expect(find("/api/site")).toBeDefined();
  const [sample] = find("/api/auth/sign-in/email")?.samples("") ?? [];
  expect(sample?.body).toMatchObject({
    email: expect.stringContaining("@"),
    password: expect.any(String),
    rememberMe: true,
  });
});

it("finds the largest numbers that a query accepts", () => {
  const names = listAssaults(routeDoors).map(nameOf);
  expect(names).toContain("listDevices by customer, dearest parameters: limit=500");
});

it("fills bodies up to the limit, and gives each sending of a message keys of its own", () => {
  const of = (mode: string) =>
    listAssaults(routeDoors).find((one) => nameOf(one) === `registerDevice by nobody, ${mode}`);
  const [largest] = messagesOf(of("largest bodies") as never, identity);
  expect(largest?.body.length).toBe(16_384);
  const [, , , keyed] = messagesOf(of("many keys") as never, identity);
  const [first, second] = [1, 2].map((n) => numbered(toWire(keyed as never), n));
  expect(first).toContain("x-forwarded-for: 2001:db8:7:001::000");
  expect(second).toContain('"deviceId":"s11-7-000002"');
  expect(first?.length).toBe(second?.length);
});
