import { createSeededNumbers } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf } from "../../testing/release-server.js";
import { sha256Of } from "../../testing/signing.js";
import { createUpdateBench } from "../../testing/update-bench.js";

const size = 80_000;

/** Counts the operations of storage, flash and bootloader in an update without faults. */
async function countOperations(): Promise<number> {
  const { device, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0", { size });
  await runUntilIdle();
  return device.operations;
}

test("§6 after a power cut at any operation, the device has the new image or keeps the old one", async () => {
  const operations = await countOperations();
  expect(operations).toBeGreaterThan(30);
  let updated = 0;
  for (let operation = 1; operation <= operations; operation++) {
    for (const random of [() => 0.2, () => 0.8]) {
      const { device, publish, runUntilIdle, running } = createUpdateBench({ random });
      const image = sha256Of(publish("1.4.0", { size }));
      device.cutAt(operation);
      expect(await runUntilIdle()).toBe("power cut");
      await runUntilIdle();
      expect(new Set(device.installed).size).toBeLessThanOrEqual(1);
      for (const installed of device.installed) expect(installed).toBe(image);
      if (running() === "1.4.0") updated++;
    }
  }
  // In the other cases the power failed during the trial, so the bootloader rolled back.
  expect(updated).toBeGreaterThan(2 * operations * 0.8);
});

test("§6 power cuts, bad connections and bad images never install a wrong image, and updates end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }),
      fc.constantFrom("good", "fails_self_test", "crashes"),
      fc.integer(),
      async (cuts, behaviour, seed) => {
        const random = createSeededNumbers(seed);
        const { device, server, clock, publish, runUntilIdle, running } = createUpdateBench({
          random,
        });
        const bytes = publish("1.4.0", { size, behaviour });
        const image = sha256Of(bytes);
        server.intercept = ({ path }) => {
          if (!path.startsWith("/ota/firmware") || random() < 0.4) return undefined;
          const part = bytes.slice(0, Math.floor(random() * size));
          if (random() < 0.2) part.fill(1);
          const end = random() < 0.5 ? "break" : "go_on";
          return new Response(bodyOf(part, end), { headers: { etag: `"${random() < 0.9}"` } });
        };
        for (const cut of cuts) {
          device.cutAt(device.operations + cut);
          await runUntilIdle();
          clock.advance(60_000);
        }
        device.cutAt(null);
        server.intercept = null;
        for (let checks = 0; checks < 3; checks++) {
          await runUntilIdle();
          clock.advance(86_400_000);
        }
        for (const installed of device.installed) expect(installed).toBe(image);
        expect(["1.0.0", "1.4.0"]).toContain(running());
        if (behaviour !== "good") expect(running()).toBe("1.0.0");
        const installs = device.installed.length;
        expect(installs).toBeLessThanOrEqual(3);
        const outcome = await runUntilIdle();
        expect(outcome).toMatchObject({ kind: running() === "1.4.0" ? "refused" : "held" });
        expect(device.installed).toHaveLength(installs);
      },
    ),
    { numRuns: 60 },
  );
});
