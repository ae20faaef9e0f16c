import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const [lowest, highest] = [20_000, 32_767];
/** The ports that were tried. The caller that was given one may not listen on it yet. */
const tried = new Set<number>();

/**
 * Returns a TCP port that is free on 127.0.0.1 now, and never the same one again. Linux could assign a port above
 * 32,767 to an outgoing connection before the caller listens on it.
 * @throws {Error} if none of 100 random ports is free.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(lowest, highest + 1);
    if (tried.has(port)) continue;
    tried.add(port);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`Ports from ${lowest} to ${highest} are in use. Stop other servers.`);
}
