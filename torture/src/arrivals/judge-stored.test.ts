import { sampleEvent } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openAlertWorld } from "../../../packages/alerts/src/testing/alert-world.js";
import { threshold } from "./expected.js";
import { judgeStored } from "./judge-stored.js";

it("a record that was judged twice, never or in the wrong order, and a lost row, are found", async () => {
  const { store, clock, alerts, register, addRule, send } = openAlertWorld();
  await register("gw-1");
  const condition = { kind: "above", metric: "level", threshold, clearAt: threshold } as const;
  await addRule("level", { ownerId: null, condition: { ...condition, holdSeconds: 0 } });
  await alerts.runOnce();
  const sent: { at: number; value: number }[] = [];
  for (const value of [100, 20, 70]) {
    clock.advance(1_000);
    sent.push({ at: clock.now(), value });
    await send("gw-1", { level: value });
    clock.advance(1_000);
    await alerts.runOnce();
  }
  const judge = (records: typeof sent) => judgeStored(store, new Map([["gw-1", records]]));
  expect(await judge(sent)).toEqual([]);
  const [first, second, third] = sent as [(typeof sent)[0], (typeof sent)[0], (typeof sent)[0]];
  expect(await judge([first, second])).toHaveLength(2);
  expect(await judge([first, third])).toHaveLength(1);
  expect(await judge([...sent, { at: clock.now(), value: 1 }])).toMatchObject([
    expect.stringContaining('"nothing" instead of "cleared 1'),
    expect.stringContaining("rows of alerts"),
  ]);
  const event = { ...sampleEvent(""), kind: "alert_rule.removed" } as const;
  await store.alerts.removeRule({ id: "level", limit: 9, event });
  expect(await judge(sent)).toHaveLength(1);
});
