import { connect } from "node:net";
import { startLineProcess } from "../line-process.js";
import type { WorldRequest } from "../world.js";

/** Sends requests one after the other over one connection, as an attacker with a stopwatch does. */
export interface Wire {
  /** Milliseconds from the first byte sent to the answer's first byte, and its status. */
  time(request: WorldRequest): Promise<{ readonly took: number; readonly status: number }>;
  close(): Promise<void>;
}

/** Opens a connection to a gateway in a process of its own, over a real socket. */
export async function openWire(file: string, seed: number): Promise<Wire> {
  const gateway = await startLineProcess("timing/gateway-process.ts", file, String(seed));
  const port = Number(await gateway.ask("port"));
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  return {
    time({ method, path, token, body }) {
      const text = JSON.stringify(body);
      const lines = [
        `${method} /api/v1${path} HTTP/1.1`,
        "host: gateway.test",
        "content-type: application/json",
        `content-length: ${Buffer.byteLength(text)}`,
        ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
      ];
      const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
      return new Promise((resolve) => {
        let answer = "";
        let took = 0;
        const take = (chunk: Buffer) => {
          took ||= performance.now() - startedAt;
          answer += chunk.toString();
          // The last of a problem document: its braces close.
          if (!answer.endsWith("}")) return;
          socket.off("data", take);
          resolve({ took, status: Number(answer.slice(9, 12)) });
        };
        socket.on("data", take);
        const startedAt = performance.now();
        socket.write(bytes);
      });
    },
    async close() {
      socket.destroy();
      await gateway.end();
    },
  };
}
