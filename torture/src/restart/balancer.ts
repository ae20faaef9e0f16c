import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** Distributes connections over servers in turn. A server that refuses a connection is skipped. */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

function join(outside: Socket, inside: Socket): void {
  for (const [from, to] of [
    [outside, inside],
    [inside, outside],
  ] as const) {
    from.pipe(to);
    // Passes a reset on as a reset.
    from.on("error", () => to.resetAndDestroy());
    from.on("close", () => to.destroySoon());
  }
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (outside) => {
    open.add(outside);
    outside.on("close", () => open.delete(outside));
    outside.on("error", () => {});
    const begin = turn++;
    const tryNext = (attempt: number) => {
      const port = ports[(begin + attempt) % ports.length] ?? 0;
      const inside = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      const refused = () => {
        if (attempt + 1 < ports.length) tryNext(attempt + 1);
        else outside.resetAndDestroy();
      };
      inside.once("error", refused);
      inside.once("connect", () => {
        inside.off("error", refused);
        join(outside, inside);
      });
    };
    tryNext(0);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
