import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { type Label, readLabels, recordLabels } from "./chart-labels.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { holdRequests } from "./hold-requests.js";
import { type ClaimedGateway, deviceId, openClaimedGateway } from "./open-claimed-gateway.js";

useCheapScrypt();

const timeout = 120_000;
const minuteMs = 60_000;

describeInBrowser("charts for batteries", () => {
  let claimed: ClaimedGateway;
  let page: Page;
  /** Epoch milliseconds. */
  let firstRecordAt: number;

  beforeAll(async () => {
    claimed = await openClaimedGateway(timeout);
    page = claimed.page;
    await page.addInitScript(recordLabels);
    // The device was off for 12 hours of the last 24. It sends what it kept in one request.
    const now = Math.floor(Date.now() / minuteMs) * minuteMs;
    firstRecordAt = now - 1_400 * minuteMs;
    const minutes = Array.from({ length: 300 }, (_, n) =>
      n < 150 ? 1_400 - 4 * n : 305 - 2 * (n - 150),
    );
    const records = minutes.map((ago) => ({
      timestamp: now - ago * minuteMs,
      current: -100_000 - ago,
      soc: 71,
      cells: Array.from({ length: 16 }, (_, cell) => 3.3 + cell / 1_000),
    }));
    (await claimed.gateway.sendTelemetry(records))._unsafeUnwrap();
  });
  afterAll(() => claimed?.close());

  const labels = () => readLabels(page);
  const text = (words: string) => page.getByText(words, { exact: true }).first();
  const open = (query: string) => page.goto(`/devices/${deviceId}?range=24h&${query}`);
  const describe = async (metric: string, values: Readonly<Record<string, string>>) => {
    await page.getByLabel("Metric", { exact: true }).selectOption(metric);
    for (const [label, value] of Object.entries(values)) {
      await page.getByLabel(label, { exact: true }).fill(value);
    }
    await page.getByRole("button", { name: "Save metric" }).click();
    await text("Saved. Open charts show it after a reload.").waitFor();
    await expect
      .poll(() => page.getByLabel("Unit", { exact: true }).inputValue())
      .toBe(values["Unit"]);
  };

  test("the charts of a new device begin when its data begins, unless the user chose a range", {
    timeout,
  }, async () => {
    const shownFrom = async () => {
      const href = await page.getByRole("link", { name: "Download as CSV" }).getAttribute("href");
      return Number(new URL(href ?? "", claimed.site.url).searchParams.get("from"));
    };
    await page.goto(`/devices/${deviceId}`);
    await expect.poll(shownFrom).toBe(firstRecordAt);
    await page.getByRole("button", { name: "Day", exact: true }).click();
    await expect.poll(shownFrom).toBeLessThan(firstRecordAt - 30 * minuteMs);
  });

  test("the axis of a metric that does not change has several labels", { timeout }, async () => {
    await open("metric=soc");
    await text("71").waitFor();
    const numbers = async () =>
      (await labels()).map((label) => label.text).filter((one) => /^[\d.]+$/.test(one));
    await expect.poll(async () => new Set(await numbers()).size).toBeGreaterThan(1);
  });

  test("§8 an operator sets how the metrics of a target hardware are shown, without accessibility problems", {
    timeout,
  }, async () => {
    await page.goto(`/devices/${deviceId}/settings`);
    const range = { "Lowest expected value": "0", "Highest expected value": "100" };
    await describe("soc", { "Display name": "Charge", Unit: "%", Decimals: "1", ...range });
    // Another metric would replace what is typed.
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const [metric, unit] = [field("Metric"), field("Unit")];
    await unit.fill("not saved");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await metric.selectOption("cells.*");
    expect([await metric.inputValue(), await unit.inputValue()]).toEqual(["soc", "not saved"]);
    page.once("dialog", (dialog) => void dialog.accept());
    await describe("cells.*", { "Display name": "Cell *", Unit: "V", Decimals: "3" });
    await expectAccessible(page);
  });

  test("§7 charts, tables and choosers show display names, units and decimals, and the expected range", {
    timeout,
  }, async () => {
    await open("metric=soc");
    await page.getByRole("heading", { name: "Charge", exact: true }).waitFor();
    await text("71.0").waitFor();
    await expect.poll(async () => (await labels()).map((one) => one.text)).toContain("100 %");
    expect((await labels()).map((one) => one.text)).toContain("0 %");
    expect((await labels()).map((one) => one.text)).not.toContain("120 %");
    await page.getByRole("button", { name: "Cell * (16)" }).click();
    await text("Cell 16").waitFor();
    await text("3.315 V").waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download what is shown" }).click(),
    ]);
    const csv = await readFile(await download.path(), "utf8");
    expect(csv.split("\r\n")[0]).toContain('"cells.0 [V]","cells.1 [V]"');
  });

  test("§7 cells in one chart lie in a band from the lowest to the highest", {
    timeout,
  }, async () => {
    await open("metric=cells.0&metric=cells.7&metric=cells.15&charts=one");
    const spread = /lowest 3\.300 \(Cell 1\), highest 3\.315 \(Cell 16\)/;
    await page.getByRole("figure", { name: spread }).waitFor();
    // The labels of the axis say where a voltage is drawn.
    const heights = async () =>
      (await labels()).flatMap(({ text: label, y }) => {
        const [, volts] = /^([\d.]+) V$/.exec(label) ?? [];
        return volts === undefined ? [] : [{ volts: Number(volts), y }];
      });
    const readHeightOf = async () => {
      const [high, low] = (await heights()).toSorted((a, b) => b.volts - a.volts);
      if (high === undefined || low === undefined || high === low) return () => Number.NaN;
      const perVolt = (low.y - high.y) / (high.volts - low.volts);
      return (volts: number) => high.y + (high.volts - volts) * perVolt;
    };
    // The rows of the canvas that have the colour of the band, at the right of the chart, where all cells have readings.
    const readBand = () =>
      page.locator(".plot canvas").evaluate((canvas: HTMLCanvasElement) => {
        const probe = document.createElement("i");
        probe.style.color = "var(--chart-band)";
        document.body.append(probe);
        const [red = 0, green = 0, blue = 0] = (
          getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
        ).map(Number);
        probe.remove();
        const x = Math.round(canvas.width * 0.9);
        const { data } = canvas.getContext("2d")?.getImageData(x, 0, 1, canvas.height) ?? {
          data: [],
        };
        const isBand = (row: number) =>
          [red, green, blue].every((value, i) => Math.abs((data[4 * row + i] ?? 0) - value) < 12) &&
          // A line is opaque.
          (data[4 * row + 3] ?? 0) > 0 &&
          (data[4 * row + 3] ?? 0) < 128;
        const rows = Array.from({ length: canvas.height }, (_, row) => row).filter(isBand);
        return {
          top: (rows[0] ?? 0) / devicePixelRatio,
          end: (rows.at(-1) ?? 0) / devicePixelRatio,
        };
      });
    // The chart is drawn again when its description arrives.
    const error = async () => {
      const [heightOf, { top, end }] = [await readHeightOf(), await readBand()];
      return Math.max(Math.abs(top - heightOf(3.315)), Math.abs(end - heightOf(3.3)));
    };
    await expect.poll(error).toBeLessThan(4);
  });

  test("while another range is loaded, the legend keeps its lines, and no text says that there are no readings", {
    timeout,
  }, async () => {
    await open("metric=cells.0&metric=cells.7&charts=one");
    const lines = page.locator(".legend li");
    await lines.getByText("3.307 V").waitFor();
    const { held, release } = await holdRequests(page, "**/telemetry/history?*");
    await page.getByRole("button", { name: "Week", exact: true }).click();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await lines.getByText("3.307 V").waitFor({ state: "detached" });
    expect(await lines.count()).toBe(2);
    expect(await page.getByText("No readings in this range.").count()).toBe(0);
    await release();
    await lines.getByText("3.307 V").waitFor();
  });

  test("the axes of charts below each other are aligned, and no two dates collide", {
    timeout,
  }, async () => {
    await open("metric=soc&metric=current");
    await page.getByRole("heading", { name: "current", exact: true }).waitFor();
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const range of ["Hour", "Day", "Week", "Month", "Year"]) {
        await page.getByRole("button", { name: range, exact: true }).click();
        await page.locator("figure.chart").nth(1).waitFor();
        await expect
          .poll(async () => {
            const areas = await page.locator(".u-over").evaluateAll((all) =>
              all.map((one) => {
                const { left, width: wide } = one.getBoundingClientRect();
                return `${left} ${wide}`;
              }),
            );
            return areas.length === 2 && new Set(areas).size;
          })
          .toBe(1);
        const drawn = await labels();
        // Labels of one line of one axis are next to each other.
        const lines = new Map<string, Label[]>();
        for (const label of drawn) {
          const line = `${label.canvas} ${Math.round(label.y)}`;
          lines.set(line, [...(lines.get(line) ?? []), label]);
        }
        const colliding = [...lines.values()].flatMap((line) => {
          const sorted = line.toSorted((a, b) => a.x - b.x);
          return sorted.slice(1).filter((label, i) => {
            const before = sorted[i] as Label;
            return label.x - before.x > 1 && label.x - before.x < (label.width + before.width) / 2;
          });
        });
        expect(colliding, `${range} at ${width} px`).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("§8 charts mark outages and changes of settings", { timeout }, async () => {
    await page.goto(`/devices/${deviceId}/settings`);
    await page.getByLabel("Seconds between records").fill("120");
    await page.getByRole("button", { name: "Save configuration" }).click();
    await text("Saved. The gateway applies it with its next record.").waitFor();
    const { release } = await holdRequests(page, "**/ota/history?*");
    await open("metric=soc");
    await text("71.0").waitFor();
    // The list has its first line from the start, so that what is below does not move.
    const room = await page.locator(".chart-events").boundingBox();
    expect(room?.height).toBeGreaterThan(15);
    await release();
    const events = page.getByRole("list", { name: "Events in this range" });
    await events.getByText("No readings for 8.3 h").waitFor();
    await events.getByText("Settings changed: Seconds between records").waitFor();
  });

  test("a device that has been silent for longer than the range is shown as silent, without its old reading", {
    timeout,
  }, async () => {
    const silent = await claimed.registerOther("gw-2");
    const timestamp = Date.now() - 30 * 60 * minuteMs;
    (await silent.sendTelemetry({ timestamp, soc: 71 }))._unsafeUnwrap();
    await page.goto("/devices/gw-2?range=24h&metric=soc");
    await text("No readings in this range. Choose a longer range.").waitFor();
    const events = page.getByRole("list", { name: "Events in this range" });
    await events.getByText(/^No readings for 1\.3 days, /).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download what is shown" }).click(),
    ]);
    const csv = await readFile(await download.path(), "utf8");
    expect(csv.trimEnd().split("\r\n")).toHaveLength(1);
  });

  test("§7 raw records are listed in pages with their time of receipt, and saved as shown", {
    timeout,
  }, async () => {
    await open("metric=soc");
    await page.getByText("Raw records with their time of receipt").click();
    const records = page.getByRole("region", { name: "Raw records" });
    await records
      .getByText(/h later$/)
      .first()
      .waitFor();
    expect(await records.locator("tbody tr").count()).toBe(50);
    const first = await records.locator("tbody tr").first().textContent();
    await page.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => records.locator("tbody tr").first().textContent()).not.toBe(first);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download these records" }).click(),
    ]);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toBe('"time","received_at","soc [%]"');
    expect(lines).toHaveLength(51);
    await expectAccessible(page);
    // On a phone, each record is a list of names and values that fits without scrolling sideways.
    await page.setViewportSize({ width: 390, height: 844 });
    const fits = () =>
      records.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
    await expect.poll(fits).toBe(true);
    const label = await records
      .locator("tbody tr td")
      .nth(2)
      .evaluate((cell) => getComputedStyle(cell, "::before").content);
    expect(label).toBe('"Charge (%)"');
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("select boxes fit a phone and do not zoom it", { timeout }, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [`/devices/${deviceId}/settings`, "/"]) {
      await page.goto(path);
      await page.locator("h1").waitFor();
      if (path !== "/") await page.locator("select").first().waitFor();
      const boxes = await page.locator("select").evaluateAll((all) =>
        all.map((one) => {
          const { left, right } = one.getBoundingClientRect();
          return { left, right, font: Number.parseFloat(getComputedStyle(one).fontSize) };
        }),
      );
      for (const { left, right, font } of boxes) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(390);
        // Safari on a phone zooms into a field whose text is smaller.
        expect(font).toBeGreaterThanOrEqual(16);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
