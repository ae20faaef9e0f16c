import {
  createUpdateNetwork,
  createUpdater,
  type PinnedKey,
  type Updater,
} from "@device-gateway/device-client/update";
import type { TestCloud } from "@device-gateway/testing/cloud";

export const targetHardware = "esp32:devkit-v1";

/** The spare slot of a device and its storage. This example omits the rest of a bootloader. */
export interface MyFlash {
  readonly spare: Uint8Array;
  saved: string | null;
  /** The installed image. Null before the first installation. */
  installed: Uint8Array | null;
}

export const createMyFlash = (): MyFlash => ({
  spare: new Uint8Array(500_000),
  saved: null,
  installed: null,
});

export interface UpdaterSetup {
  readonly cloud: TestCloud;
  readonly flash: MyFlash;
  /** The device's token. */
  readonly token: string;
  readonly running: string;
  /** Default: the key that the cloud's releases are signed with. */
  readonly key?: PinnedKey;
}

/** Creates the reference updater for this flash. Replace it with the updater of your firmware. */
export function startUpdater({
  cloud,
  flash,
  token,
  running,
  key,
}: UpdaterSetup): Promise<Updater> {
  const clock = {
    now: cloud.clock.now,
    // A wait without a signal moves the cloud's clock. One with a signal is a deadline, which never passes.
    wait: (ms: number, signal?: AbortSignal) =>
      signal === undefined
        ? cloud.sleep(ms)
        : new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
  };
  return createUpdater({
    network: createUpdateNetwork({
      apiUrl: `${cloud.baseUrl}/api/v1`,
      fetch: cloud.fetch,
      tokens: { current: () => token, renew: async () => {} },
      clock,
    }),
    clock,
    random: Math.random,
    storage: {
      load: async () => flash.saved,
      async save(text) {
        flash.saved = text;
      },
    },
    slot: {
      capacity: flash.spare.length,
      begin: async () => void flash.spare.fill(0xff),
      write: async (offset, bytes) => flash.spare.set(bytes, offset),
      async *read(from, to) {
        yield flash.spare.slice(from, to);
      },
    },
    boot: {
      async install({ size }) {
        flash.installed = flash.spare.slice(0, size);
      },
      reboot: async () => {},
      confirm: async () => {},
      rollBack: async () => {},
    },
    selfTest: async () => {},
    targetHardware,
    running,
    keys: [key ?? cloud.releaseKey],
  });
}
