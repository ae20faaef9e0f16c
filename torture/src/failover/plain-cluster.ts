import {
  setSynchronous,
  startReplicatedServers,
} from "../../../packages/store-postgres/src/testing/replicated-servers.js";
import type { Cluster } from "./cluster.js";

/** Two Postgres servers without a manager: the attack promotes the standby by itself. */
export async function startPlainCluster(): Promise<Cluster> {
  const servers = await startReplicatedServers();
  const { primary, standby, door, stream } = servers;
  await setSynchronous(primary, true);
  await servers.catchUp();
  let isPromoted = false;
  const takeOver = async () => {
    isPromoted = true;
    await servers.promote();
    // The new primary has no standby to wait for.
    await setSynchronous(standby, false);
  };
  return {
    name: "two servers",
    url: door.url,
    readUrl: primary.url,
    disturbances: [
      {
        name: "primary killed",
        async begin() {
          await primary.kill();
          await takeOver();
          return 0;
        },
        end: async () => {},
      },
    ],
    primaryUrl: async () => (isPromoted ? standby.url : primary.url),
    async fallBehind() {
      await setSynchronous(primary, false);
      stream.freeze();
    },
    // The former primary keeps running, and serves as a replica that no server may trust.
    loseNewest: takeOver,
    close: servers.stop,
  };
}
