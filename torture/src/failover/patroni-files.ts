import { readFileSync } from "node:fs";

/** The reference configuration of the documentation, which the attack uses with the addresses of its own processes. */
const read = (name: string) =>
  readFileSync(new URL(`../../../docs/failover/${name}`, import.meta.url), "utf8");

function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`The reference configuration lacks ${from}.`);
    result = result.replaceAll(from, to);
  }
  return result;
}

export const password = "change-me";

/** The ports of a node. Those of proxies can be paused. */
export interface NodePorts {
  readonly postgres: number;
  readonly rest: number;
  readonly replicationProxy: number;
  readonly balancerProxy: number;
  readonly restProxy: number;
  readonly etcdProxy: number;
}

const here = "127.0.0.1";

export function renderPatroni(name: string, folder: string, binaries: string, ports: NodePorts) {
  return replaceAll(read("patroni.yml"), {
    "name: node-1": `name: ${name}`,
    "0.0.0.0:8008": `${here}:${ports.rest}`,
    "10.0.0.11:8008": `${here}:${ports.restProxy}`,
    // Otherwise Patroni would connect to the address that etcd announces, past the proxy.
    "hosts: 10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379": `use_proxies: true\n  hosts: ${here}:${ports.etcdProxy}`,
    "0.0.0.0:5432": `${here}:${ports.postgres}`,
    "10.0.0.11:5432": `${here}:${ports.replicationProxy}`,
    "/var/lib/postgresql/15/gateway": `${folder}/data`,
    "/usr/lib/postgresql/15/bin": binaries,
    "/var/lib/postgresql/gateway.pgpass": `${folder}/pgpass`,
    "10.0.0.0/24": "127.0.0.0/8",
  });
}

export function renderHaproxy(
  primary: number,
  replica: number,
  nodes: readonly NodePorts[],
): string {
  const servers = nodes.map(({ balancerProxy, restProxy }, n): [string, string] => [
    `10.0.0.1${n + 1}:5432 check port 8008`,
    `${here}:${balancerProxy} check port ${restProxy}`,
  ]);
  return replaceAll(read("haproxy.cfg"), {
    "0.0.0.0:5000": `${here}:${primary}`,
    "0.0.0.0:5001": `${here}:${replica}`,
    ...Object.fromEntries(servers),
  });
}
