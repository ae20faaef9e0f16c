import { setTimeout as wait } from "node:timers/promises";
import { type PostgresServer, startPostgresServer, startStandbyOf } from "./postgres-server.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";
import { askOn, runOn } from "./temporary-database.js";

/** A primary with a streaming standby, and an address that leads to the primary. */
export interface ReplicatedServers {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Leads to the primary, and after `promote` to the former standby. */
  readonly door: TcpProxy;
  /** The network between the two. */
  readonly stream: TcpProxy;
  /** Waits until the standby has replayed everything that the primary has. */
  catchUp(): Promise<void>;
  /** Makes the standby the primary. The former primary keeps running, but no new connection reaches it. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const nameOfStandby = "standby";

/** Names the standby whose confirmation each commit waits for. An empty name: none. */
export async function setSynchronous(primary: PostgresServer, isOn: boolean): Promise<void> {
  const names = isOn ? nameOfStandby : "";
  await runOn(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await runOn(primary.url, "SELECT pg_reload_conf()");
}

export async function startReplicatedServers(): Promise<ReplicatedServers> {
  const primary = await startPostgresServer();
  const stream = await startTcpProxy(primary.url);
  const { hostname, port, username } = new URL(stream.url);
  const standby = await startStandbyOf(primary, {
    primary_conninfo: `host=${hostname} port=${port} user=${username} application_name=${nameOfStandby}`,
    // A standby that lost its primary tries again at once.
    wal_retrieve_retry_interval: "100ms",
  });
  const door = await startTcpProxy(primary.url);
  return {
    primary,
    standby,
    door,
    stream,
    async catchUp() {
      const [end] = await askOn<{ lsn: string }>(
        primary.url,
        "SELECT pg_current_wal_insert_lsn()::text AS lsn",
      );
      const isThere = async () => {
        const sql = `SELECT pg_last_wal_replay_lsn() >= '${end?.lsn}' AS there`;
        return (await askOn<{ there: boolean }>(standby.url, sql))[0]?.there;
      };
      while (!(await isThere())) await wait(20);
    },
    async promote() {
      await runOn(standby.url, "SELECT pg_promote()");
      door.switchTo(standby.url);
    },
    async stop() {
      await Promise.all([door.close(), stream.close()]);
      await Promise.all([primary.stop(), standby.stop()]);
    },
  };
}
