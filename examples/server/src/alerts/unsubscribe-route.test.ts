import { createServer } from "node:http";
import { createGateway, customer, generateSecrets, silentLogger } from "@device-gateway/core";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { createFakeClock } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../http/create-app.js";
import { listen } from "../http/listen.js";
import { createUnsubscribeRoute, unsubscribePath } from "./unsubscribe-route.js";
import { createUnsubscribeTokens } from "./unsubscribe-tokens.js";

const clientAddress = "203.0.113.7";

interface World {
  /** Alert rules of the owner. */
  readonly rules: number;
  readonly dashboardPerMinute: number;
}

/** Serves the route to the owner of some alert rules. */
async function start({ rules, dashboardPerMinute }: World) {
  const clock = createFakeClock();
  const store = await openSqliteStore({ file: ":memory:" });
  onTestFinished(() => store.close());
  const gateway = await createGateway({
    ...{ store, clock, secrets: generateSecrets(), logger: silentLogger },
    limits: { dashboardPerMinute },
  });
  const api = gateway.as(customer({ id: "ann", emailVerified: true }));
  const condition = { kind: "silent", intervals: 5 } as const;
  const ruleIds: string[] = [];
  for (let n = 0; n < rules; n++) {
    const created = await api.createAlertRule({ body: { name: `Rule ${n}`, condition } });
    ruleIds.push(created._unsafeUnwrap().body.rule.id);
  }
  const tokens = createUnsubscribeTokens("pepper");
  const handlers = [createUnsubscribeRoute(gateway, tokens)];
  const server = createServer(createApp({ trustedProxies: 1, handlers, logger: silentLogger }));
  onTestFinished(() => void server.close());
  const url = await listen(server, { HOST: "127.0.0.1", PORT: 0 });
  return {
    ...{ clock, store, ruleIds },
    /** Clicks the link of a mail about one rule, or about several. */
    async click(ruleId: string | null) {
      const token = tokens.create({ ownerId: "ann", ruleId });
      const response = await fetch(`${url}${unsubscribePath}?token=${token}`, {
        method: "POST",
        headers: { "x-forwarded-for": clientAddress },
        body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
      });
      const { status, headers } = response;
      return { status, retryAfter: headers.get("retry-after"), text: await response.text() };
    },
    async readChanges() {
      const events = await store.securityEvents.list({ after: 0, limit: 100 });
      return events.filter(({ kind }) => kind === "alert_rule.changed");
    },
    async countMuted() {
      const listed = (await api.listAlertRules())._unsafeUnwrap();
      return listed.body.rules.filter(({ mutedUntil }) => mutedUntil !== null).length;
    },
  };
}

test("a second click on the link of a mail writes no event, and clicks draw from the owner's token bucket", async () => {
  const world = await start({ rules: 2, dashboardPerMinute: 4 });
  const { clock, click, readChanges, countMuted } = world;
  // It lists the rules and mutes two.
  expect(await click(null)).toMatchObject({ status: 200, retryAfter: null });
  expect(await countMuted()).toBe(2);
  expect(await readChanges()).toMatchObject(Array(2).fill({ actor: "ann", clientAddress }));
  // It lists the rules, with the last token.
  expect((await click(null)).status).toBe(200);
  const text = "Not all of these mails are turned off. Try again in 15 s.\n";
  expect(await click(null)).toEqual({ status: 429, retryAfter: "15", text });
  clock.advance(15_000);
  expect((await click(null)).status).toBe(200);
  expect(await readChanges()).toHaveLength(2);
});

test("a second click on the link of a mail about one alert rule writes no event", async () => {
  const world = await start({ rules: 2, dashboardPerMinute: 2 });
  const { click, ruleIds, readChanges, countMuted } = world;
  const [ruleId = ""] = ruleIds;
  expect((await click(ruleId)).status).toBe(200);
  expect((await click(ruleId)).status).toBe(200);
  expect(await readChanges()).toHaveLength(1);
  expect(await countMuted()).toBe(1);
  expect((await click(ruleId)).status).toBe(429);
});

test("a click on the link of a mail continues where a refused one stopped", async () => {
  const world = await start({ rules: 4, dashboardPerMinute: 3 });
  const { clock, click, readChanges, countMuted } = world;
  expect((await click(null)).status).toBe(429);
  expect(await countMuted()).toBe(2);
  clock.advance(60_000);
  expect((await click(null)).status).toBe(200);
  expect(await countMuted()).toBe(4);
  expect(await readChanges()).toHaveLength(4);
});

test("simultaneous clicks on the link of a mail write one event for each alert rule", async () => {
  const { click, readChanges } = await start({ rules: 3, dashboardPerMinute: 600 });
  const replies = await Promise.all(Array.from({ length: 8 }, () => click(null)));
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await readChanges()).toHaveLength(3);
});

test("a click on the link of a mail is 503 with Retry-After while the database cannot answer", async () => {
  const { store, click } = await start({ rules: 1, dashboardPerMinute: 600 });
  await store.close();
  for (const ruleId of [null, "rule"]) {
    expect(await click(ruleId)).toMatchObject({ status: 503, retryAfter: "2" });
  }
});
