import { connect } from "node:net";
import { startLineProcess } from "../line-process.js";
import type { WorldRequest } from "../world.js";

/** Sends requests one after another over one connection and measures them, as an attacker would. */
export interface Wire {
  /** Sends a request. Resolves with the status and the milliseconds until the response's first byte. */
  time(request: WorldRequest): Promise<{ readonly took: number; readonly status: number }>;
  close(): Promise<void>;
}

/** Opens a real connection to a gateway in its own process. */
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
          // A problem document ends with its closing brace.
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
