import type { IncomingMessage } from "node:http";

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"]);
const loopbackAddress = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const forwarding = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Whether a server that listens here can be reached from this machine alone. */
export const isLoopback = (host: string) =>
  loopbackNames.has(host) || loopbackAddress.test(host) || host === "::1";

/**
 * Whether whoever asks sits at this machine: by the address of the connection, without a proxy in
 * between, and by the name that was asked for, so that no page elsewhere can bend its own name here.
 */
export function isLocalRequest({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">) {
  const name = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  const direct = forwarding.every((header) => headers[header] === undefined);
  return direct && loopbackNames.has(name) && loopbackAddress.test(socket.remoteAddress ?? "");
}
