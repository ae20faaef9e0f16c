import { generateSecrets } from "@device-gateway/core";
import { createFakeClock, createSeededRandom } from "@device-gateway/testing";
import type { AttackOptions } from "../attack.js";
import { createIssuer, type Issuer } from "../issuer.js";
import type { Storage } from "../storage.js";
import { openWorld, type World, type WorldReply, type WorldRequest } from "../world.js";

/** The keys that verify device tokens. The first one signs. */
export type KeyNames = readonly ("old" | "new")[];

const generated = {
  old: generateSecrets(createSeededRandom(1)),
  new: generateSecrets(createSeededRandom(2)),
};

export const optionsOf = (keys: KeyNames) => ({
  secrets: {
    pepper: generated.old.pepper,
    tokenKeys: keys.flatMap((key) => generated[key].tokenKeys),
  },
  // All devices have the same address here.
  limits: { authPerMinute: 1_000_000, hashesQueued: 1_000 },
});

/** Several gateways over one storage, with their clock. */
export interface GatewayGroup {
  readonly size: number;
  readonly isRealTime: boolean;
  readonly issuer: Issuer;
  now(): number;
  pause(ms: number): Promise<void>;
  send(request: WorldRequest, gateway: number): Promise<WorldReply>;
  /** Restarts the gateways with other keys. */
  restart(keys: KeyNames): Promise<void>;
  close(): Promise<void>;
}

/** Opens gateways in this process, with a fake clock. */
export async function openGroup(
  storage: Storage,
  { seed, plants }: AttackOptions,
  size: number,
): Promise<GatewayGroup> {
  const clock = createFakeClock();
  const open = (keys: KeyNames): Promise<World> =>
    openWorld({
      storage,
      seed,
      clock,
      gateways: size,
      plants,
      options: optionsOf(keys),
    });
  let world = await open(["old"]);
  return {
    size,
    isRealTime: false,
    issuer: createIssuer(clock),
    now: () => clock.now(),
    pause: async (ms) => clock.advance(ms),
    send: (request, gateway) => world.send(request, gateway),
    async restart(keys) {
      await world.close();
      world = await open(keys);
    },
    close: () => world.close(),
  };
}
