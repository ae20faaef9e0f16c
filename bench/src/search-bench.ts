import type { DeviceStore, GatewayStore } from "@device-gateway/core/store";
import { sampleDevice } from "@device-gateway/testing";
import { createLines, type Section, spread } from "./measure.js";
import { createScratch } from "./speed/machine/scratch.js";
import { fleetIds, registerTemplate } from "./speed/seed/seed-fleet.js";
import { seedStore } from "./speed/seed/seed-store.js";
import { startStoreHost } from "./speed/store/start-store-host.js";
import { openPlace, type StoreKind } from "./speed/store/store-place.js";
import { renderSection } from "./table.js";

export interface SearchBenchOptions {
  readonly kind: StoreKind;
  /** URL of a Postgres superuser. Default: the run starts its own server. */
  readonly databaseUrl?: string | undefined;
  /** Devices of the small and of the large fleet. */
  readonly devices: number;
  readonly fleet: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

/** Devices that most searches find. Both fleets have the same number. */
const rareDevices = 20;
const limit = 100;
/** Searches of a kind in each round. */
const searches = 100;
/** The highest character, for searches by first letters. */
const highest = "\u{10ffff}";

const { profile } = sampleDevice("");
const common = { profile: { ...profile, targetHardware: "common" } };
const rare = {
  name: "Barn",
  profile: { ...profile, targetHardware: "rare", firmwareVersion: "9.0.0" },
  ownership: { ownerId: "rare-owner", claimedAt: 1, visibleFrom: 0 },
  revokedAt: 1,
};

/** Returns the searches by name. Each resolves to the number of devices that it found. */
const searchesOf = (devices: DeviceStore): Readonly<Record<string, () => Promise<number>>> => {
  const by = (input: Omit<Parameters<DeviceStore["search"]>[0], "after" | "limit">) => async () =>
    (await devices.search({ ...input, after: null, limit })).length;
  return {
    name: by({ by: "name", from: "Ba", to: `Ba${highest}` }),
    owner: by({ by: "ownerId", from: "rare-owner", to: "rare-owner" }),
    hardware: by({ by: "targetHardware", from: "ra", to: `ra${highest}` }),
    "firmware version": by({ by: "firmwareVersion", from: "9", to: `9${highest}` }),
    "hardware of the whole fleet": by({ by: "targetHardware", from: "common", to: "common" }),
    revoked: async () => (await devices.listMarked({ mark: "revoked", after: "", limit })).length,
    "part of the list": async () =>
      (await devices.list({ ownerId: null, after: "gw-0000100", limit })).length,
  };
};

/** Compares the duration of operators' searches in a small and in a large fleet. */
export async function runSearchBench(options: SearchBenchOptions): Promise<Section> {
  const { kind, repeats, markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const host = await startStoreHost(kind, scratch.folder, { databaseUrl: options.databaseUrl });
  const stores = new Map<string, GatewayStore>();
  const lines = createLines();
  try {
    for (const count of [options.devices, options.fleet]) {
      const place = await seedStore(
        host,
        `search-${count}`,
        [
          {
            make: (store, id) => registerTemplate(store, id, common),
            deviceIds: fleetIds(count - rareDevices),
          },
          {
            make: (store, id) => registerTemplate(store, id, rare),
            deviceIds: fleetIds(rareDevices).map((id) => `rare-${id}`),
          },
        ],
        progress,
      );
      stores.set(`${count.toLocaleString("en")} devices`, await openPlace(place));
    }
    for (let repeat = 0; repeat <= repeats; repeat++) {
      progress(`round ${repeat} of ${repeats}`);
      for (const [fleet, { devices }] of stores) {
        for (const [name, search] of Object.entries(searchesOf(devices))) {
          let found = 0;
          const begin = performance.now();
          for (let n = 0; n < searches; n++) found = await search();
          const ms = (performance.now() - begin) / searches;
          if (found !== limit && found !== rareDevices) {
            throw new Error(`The search "${name}" found ${found} devices.`);
          }
          // The first round warms the caches.
          if (repeat > 0) lines.add(name, "ms", fleet, ms);
        }
      }
    }
  } finally {
    for (const store of stores.values()) await store.close();
    await host.close();
    scratch.remove();
  }
  const ratios = lines.all().map(({ values }) => {
    const [small = [], large = []] = [...values.values()];
    return spread(large.map((ms, n) => ms / (small[n] ?? Number.NaN))).median;
  });
  const section: Section = {
    title: `Searches of operators, ${kind}: time of the clock for each`,
    lines: lines.all(),
    notes: [
      `The large fleet takes ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} times as long.`,
    ],
  };
  print?.(`${renderSection(section, markdown)}\n`);
  return section;
}
