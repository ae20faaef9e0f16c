import { describe, expect, it } from "vitest";
import { createSeriesCap } from "./series-cap.js";

/** Returns how many of the device's metrics the cap admits. */
function admitted(
  { admit }: Pick<ReturnType<typeof createSeriesCap>, "admit">,
  deviceId: string,
  metrics: number,
  hardware = "board",
): number {
  const names = Array.from({ length: metrics }, (_, n) => `m${n}`);
  return names.filter((name) => admit(deviceId, hardware, name) === "admitted").length;
}

describe("the cap on series", () => {
  it("leaves a sixteenth of a device's metrics to each further device when three quarters are in use", () => {
    const cap = createSeriesCap({ metricsPerDevice: 32, series: 128 });
    for (const deviceId of ["a", "b", "c"]) expect(admitted(cap, deviceId, 40)).toBe(32);
    expect(admitted(cap, "d", 40)).toBe(2);
    expect(admitted(cap, "d", 40, "other board")).toBe(0);
    expect(cap.admit("d", "board", "m2")).toBe("scarce");
    expect(admitted(cap, "a", 40)).toBe(32);
  });

  it("says why it refuses a series", () => {
    const cap = createSeriesCap({ metricsPerDevice: 2, series: 4 });
    expect(["m0", "m1", "m2"].map((name) => cap.admit("a", "board", name))).toEqual([
      ...["admitted", "admitted", "device"],
    ]);
    expect(cap.admit("b", "board", "m0")).toBe("admitted");
    expect(cap.admit("c", "board", "m0")).toBe("admitted");
    expect(cap.admit("c", "board", "m1")).toBe("total");
  });

  it("of a million series keeps some for others if one client registers 4,000 devices", () => {
    const cap = createSeriesCap({ metricsPerDevice: 256, series: 1_000_000 });
    for (let n = 0; n < 4_000; n++) admitted(cap, `attacker-${n}`, 256);
    expect(admitted(cap, "honest", 10)).toBe(10);
  });
});
