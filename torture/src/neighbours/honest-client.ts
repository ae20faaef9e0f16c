import { Agent, request } from "node:http";

/** What came of a request. */
export interface Answer {
  /** Null when the connection ended without a whole answer. */
  readonly status: number | null;
  /** What the system or the server's problem document says. */
  readonly fault: string;
}

export interface HonestRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Longer than anything may take: then it hangs. */
const patienceMs = 30_000;

/** A client with one connection, which it keeps. */
export interface HonestClient {
  send(request: HonestRequest): Promise<Answer>;
  close(): void;
}

export function createHonestClient(port: number): HonestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body }) =>
      new Promise((resolve) => {
        const options = { host: "127.0.0.1", port, agent, method, path, timeout: patienceMs };
        const json = { "content-type": "application/json" };
        const sent = request(
          { ...options, headers: { ...headers, ...(body !== undefined && json) } },
          (answer) => {
            const { statusCode: status = 0 } = answer;
            let text = "";
            answer.setEncoding("utf8");
            answer.on("data", (piece: string) => {
              // A good answer is only read; a refusal says why.
              if (status >= 300) text += piece;
            });
            answer.on("end", () => resolve({ status, fault: text }));
            answer.on("error", (error) => resolve({ status: null, fault: error.message }));
          },
        );
        sent.on("timeout", () => sent.destroy(new Error("no answer within 30 s")));
        sent.on("error", (error) => resolve({ status: null, fault: error.message }));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
  };
}
