import type { SourceChange } from "../../../scripts/bundle-programs.js";
import type { AttackOptions } from "../attack.js";
import type { StorageKind } from "../storage.js";
import { createAttackerHost, type RunningAttacker } from "./attacker/attacker-host.js";
import { ordersFor } from "./attacker/orders.js";
import { attackerCore } from "./cores.js";
import { createHonestLoad, type HonestLoad } from "./honest-load.js";
import { createMeasuredServer } from "./measured-server.js";
import { plantRelease } from "./plant-release.js";
import { listAccountEndpoints } from "./requests/account-endpoints.js";
import { type Assault, listAssaults, messagesOf, openingOf } from "./requests/assault.js";
import { routeEndpoints } from "./requests/endpoints.js";
import { createIdentity, fillHistory } from "./requests/identities.js";

/** The server, the honest clients, and attackers to start. */
export interface TestBed {
  readonly long: boolean;
  readonly server: Awaited<ReturnType<typeof createMeasuredServer>>;
  readonly honest: HonestLoad;
  readonly assaults: readonly Assault[];
  /** Creates the identity of a new attacker. Returns a function that starts it. */
  prepareAttacker(assault: Assault): Promise<() => Promise<RunningAttacker>>;
  close(): Promise<void>;
}

export async function openTestBed(
  { store, long = false }: Pick<AttackOptions, "long"> & { readonly store: StorageKind },
  changes: readonly SourceChange[],
): Promise<TestBed> {
  const assaults = listAssaults([...routeEndpoints, ...(await listAccountEndpoints())]);
  const server = await createMeasuredServer({ store, changes, long });
  const attackers = await createAttackerHost(long ? attackerCore : []);
  const { url, port } = server;
  try {
    await server.start();
    await plantRelease(url);
    const honest = await createHonestLoad(url, port, long ? 60 : 2);
    let network = 0;
    return {
      ...{ long, server, honest, assaults },
      async prepareAttacker(assault) {
        network += 1;
        const { endpoint, role, mode } = assault;
        const identity = await createIdentity(url, network, assault);
        if (role === "customer" && endpoint.path.includes("/telemetry")) {
          await fillHistory(url, identity, long ? 3_500 : 500);
        }
        const orders = ordersFor(
          mode,
          { opening: openingOf(assault, identity), messages: messagesOf(assault, identity) },
          port,
          long,
        );
        return () => attackers.start(orders);
      },
      async close() {
        honest.close();
        attackers.remove();
        await server.remove();
      },
    };
  } catch (error) {
    attackers.remove();
    await server.remove();
    throw error;
  }
}
