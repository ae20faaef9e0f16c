import { type RouteName, routes } from "@device-gateway/core/contract";
import { expect, it } from "vitest";
import { createStorage } from "../storage.js";
import { openFuzzWorld } from "./fuzz-world.js";
import { cases } from "./provocations.js";
import { serve } from "./serve.js";

it("causes every status that a route declares", async () => {
  const storage = await createStorage("memory");
  const world = await openFuzzWorld(storage, 1, undefined);
  const server = await serve("listener", world.gateway, world.handle);
  const wrong: string[] = [];
  for (const name of Object.keys(routes) as RouteName[]) {
    const scene = await world.build();
    for (const { status, request } of cases.filter((one) => one.name === name)) {
      const reply = await server.send(await request(scene));
      if (reply.status !== status) wrong.push(`${name} ${status}: ${reply.status} ${reply.body}`);
    }
  }
  await server.close();
  await world.close();
  await storage.remove();
  expect(wrong, "Say in special-provocations.ts how to cause these statuses.").toEqual([]);
});
