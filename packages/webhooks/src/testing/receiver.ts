import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly type: string;
  readonly deviceId: string;
  readonly sequence: number;
}

export type Answer = (response: ServerResponse, received: Received) => void;

export const accept: Answer = (response) => void response.writeHead(204).end();
export const refuse: Answer = (response) => void response.writeHead(500).end("planted");

export interface Receiver {
  readonly url: string;
  /** Every request, the oldest first. */
  readonly received: Received[];
  /** How to answer from now on. */
  answer: Answer;
  close(): Promise<void>;
}

/** Starts a receiver of webhooks that accepts everything at first. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const { type, data } = JSON.parse(body) as {
        type: string;
        data: { deviceId?: string; sequence?: number };
      };
      const { deviceId = "", sequence = 0 } = data;
      const received = { headers: request.headers, body, type, deviceId, sequence };
      receiver.received.push(received);
      receiver.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    answer: accept,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
