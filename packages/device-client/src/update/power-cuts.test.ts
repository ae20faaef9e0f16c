import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf } from "../testing/release-server.js";
import { sha256Of } from "../testing/signing.js";
import { createUpdateBench } from "../testing/update-bench.js";

const size = 80_000;

/** Throws that can be repeated. */
function createThrows(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Operations of storage, flash and bootloader in an update that nothing disturbs. */
async function countOperations(): Promise<number> {
  const { device, publish, live } = createUpdateBench();
  publish("1.4.0", { size });
  await live();
  return device.operations;
}

test("§6 a power cut at any operation ends with the new image, or with the old one for good", async () => {
  const operations = await countOperations();
  expect(operations).toBeGreaterThan(30);
  let updated = 0;
  for (let operation = 1; operation <= operations; operation++) {
    for (const random of [() => 0.2, () => 0.8]) {
      const { device, publish, live, running } = createUpdateBench({ random });
      const image = sha256Of(publish("1.4.0", { size }));
      device.cutAt(operation);
      expect(await live()).toBe("power cut");
      await live();
      expect(new Set(device.installed).size).toBeLessThanOrEqual(1);
      for (const installed of device.installed) expect(installed).toBe(image);
      if (running() === "1.4.0") updated++;
    }
  }
  // The rest were cut while the new image was on trial: then the bootloader goes back.
  expect(updated).toBeGreaterThan(2 * operations * 0.8);
});

test("§6 any number of power cuts, bad connections and bad images install nothing wrong, and end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }),
      fc.constantFrom("good", "fails_self_test", "crashes"),
      fc.integer(),
      async (cuts, habit, seed) => {
        const random = createThrows(seed);
        const { device, server, clock, publish, live, running } = createUpdateBench({ random });
        const bytes = publish("1.4.0", { size, habit });
        const image = sha256Of(bytes);
        server.meddle = ({ path }) => {
          if (!path.startsWith("/ota/firmware") || random() < 0.4) return undefined;
          const part = bytes.slice(0, Math.floor(random() * size));
          if (random() < 0.2) part.fill(1);
          const end = random() < 0.5 ? "break" : "go_on";
          return new Response(bodyOf(part, end), { headers: { etag: `"${random() < 0.9}"` } });
        };
        for (const cut of cuts) {
          device.cutAt(device.operations + cut);
          await live();
          clock.advance(60_000);
        }
        device.cutAt(null);
        server.meddle = null;
        for (let checks = 0; checks < 3; checks++) {
          await live();
          clock.advance(86_400_000);
        }
        for (const installed of device.installed) expect(installed).toBe(image);
        expect(["1.0.0", "1.4.0"]).toContain(running());
        if (habit !== "good") expect(running()).toBe("1.0.0");
        const installs = device.installed.length;
        expect(installs).toBeLessThanOrEqual(3);
        const rests = await live();
        expect(rests).toMatchObject({ kind: running() === "1.4.0" ? "refused" : "held" });
        expect(device.installed).toHaveLength(installs);
      },
    ),
    { numRuns: 60 },
  );
});
