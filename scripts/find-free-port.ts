import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns a TCP port that is free on 127.0.0.1 now. Another process can take it before the caller listens on it. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
