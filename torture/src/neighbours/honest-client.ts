import { Agent, request } from "node:http";

/** The result of a request. */
export interface Answer {
  /** Null if the connection ended without a complete response. */
  readonly status: number | null;
  /** The system's error or the server's problem document. */
  readonly fault: string;
}

export interface HonestRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A request that takes longer counts as hanging. */
const timeoutMs = 30_000;

/** A client with one persistent connection. */
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
        const options = { host: "127.0.0.1", port, agent, method, path, timeout: timeoutMs };
        const json = { "content-type": "application/json" };
        const sent = request(
          { ...options, headers: { ...headers, ...(body !== undefined && json) } },
          (answer) => {
            const { statusCode: status = 0 } = answer;
            let text = "";
            answer.setEncoding("utf8");
            answer.on("data", (piece: string) => {
              // The body of a success is discarded. A refusal gives the reason.
              if (status >= 300) text += piece;
            });
            answer.on("end", () => resolve({ status, fault: text }));
            answer.on("error", (error) => resolve({ status: null, fault: error.message }));
          },
        );
        sent.on("timeout", () => sent.destroy(new Error("no response within 30 s")));
        sent.on("error", (error) => resolve({ status: null, fault: error.message }));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
  };
}
