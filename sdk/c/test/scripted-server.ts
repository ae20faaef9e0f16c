import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A planned response. It is JSON, unless the body is a string. */
interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  /** The connection breaks after this many bytes of the body. */
  readonly cutAfter?: number;
  /** The body never ends: a space follows again and again. */
  readonly drips?: boolean;
}

interface ScriptedServer {
  readonly url: string;
  /** The bodies of the requests to a path, oldest first. */
  bodiesOf(path: string): readonly string[];
}

/** Starts a server that gives the planned responses of each path in order, and then repeats the last one. */
export async function startScriptedServer(
  script: Readonly<Record<string, readonly Answer[]>>,
): Promise<ScriptedServer> {
  const seen = new Map<string, string[]>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname.replace("/api/v1", "");
    const bodies = seen.get(path) ?? [];
    seen.set(path, bodies);
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      bodies.push(body);
      const answers = script[path] ?? [{ status: 404, body: "" }];
      const answer = answers[Math.min(bodies.length, answers.length) - 1];
      const { status = 200, body: content = "", cutAfter, drips = false } = answer ?? {};
      if (drips) {
        const drip = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(drip));
        return;
      }
      const text = typeof content === "string" ? content : JSON.stringify(content);
      // A 304 has no body, so it has no length.
      const headers = status === 304 ? {} : { "content-length": Buffer.byteLength(text) };
      response.writeHead(status, headers);
      if (cutAfter === undefined) response.end(text);
      else response.write(text.slice(0, cutAfter), () => response.destroy());
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", () => listening()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodiesOf: (path) => seen.get(path) ?? [],
  };
}
