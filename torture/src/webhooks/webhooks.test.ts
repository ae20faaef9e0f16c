import { expect, inject, it, vi } from "vitest";
import { renderReport } from "../report.js";
import { killSender, webhooks } from "./webhooks.js";

for (const store of ["sqlite", "postgres"] as const) {
  it(`webhooks lose no event and keep the order of a device when their sender is killed, on ${store}`, async () => {
    vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
    const report = await webhooks({ seed: 1, store, rounds: store === "sqlite" ? 2 : 1 });
    expect(report.violations.length, renderReport(report)).toBe(0);
  });
}

it("a sender that does not record what waits for another attempt loses events", async () => {
  const report = await killSender({ seed: 1, store: "sqlite", rounds: 2 }, "forgetful");
  const lost = report.violations.filter(({ what }) => /events are missing/.test(what));
  expect(lost.length, renderReport(report)).toBeGreaterThan(0);
});
