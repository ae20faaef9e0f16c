import type { AttackOptions } from "../attack.js";
import type { SourceChange } from "../bundle-programs.js";
import type { StorageKind } from "../storage.js";
import { listAccountDoors } from "./account-doors.js";
import { type Assault, listAssaults, messagesOf } from "./assault.js";
import { createAttackerHost, type RunningAttacker } from "./attacker-host.js";
import { createBesiegedServer } from "./besieged-server.js";
import { attackerCore, serverCore } from "./cores.js";
import { routeDoors } from "./doors.js";
import { createHonestLoad, type HonestLoad } from "./honest-load.js";
import { createIdentity, fillHistory } from "./identities.js";
import { ordersFor } from "./orders.js";

/** All that an attack takes: the server, honest clients, and attackers to start. */
export interface Field {
  readonly server: Awaited<ReturnType<typeof createBesiegedServer>>;
  readonly honest: HonestLoad;
  readonly assaults: readonly Assault[];
  /** Sets the scene of an attacker that the server has never seen before; gives what starts it. */
  prepareAttacker(assault: Assault): Promise<() => Promise<RunningAttacker>>;
  close(): Promise<void>;
}

export async function openField(
  { store, long = false }: Pick<AttackOptions, "long"> & { readonly store: StorageKind },
  changes: readonly SourceChange[],
): Promise<Field> {
  const assaults = listAssaults([...routeDoors, ...(await listAccountDoors())]);
  const through = long ? serverCore : [];
  const server = await createBesiegedServer({ store, changes, through });
  const attackers = await createAttackerHost(long ? attackerCore : []);
  const { url, port } = server;
  try {
    await server.start();
    const honest = await createHonestLoad(url, port, long ? 40 : 2);
    let network = 0;
    return {
      ...{ server, honest, assaults },
      async prepareAttacker(assault) {
        network += 1;
        const { door, role, mode } = assault;
        const identity = await createIdentity(url, network, assault);
        if (role === "customer" && door.path.includes("/telemetry")) {
          await fillHistory(url, identity, long ? 5_000 : 500);
        }
        const orders = ordersFor(mode, messagesOf(assault, identity), port, long);
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
