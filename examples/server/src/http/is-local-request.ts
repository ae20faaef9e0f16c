import type { IncomingMessage } from "node:http";

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"]);
const loopbackAddress = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const forwarding = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Returns whether a server that listens on `host` can be reached from this machine only. */
export const isLoopback = (host: string) =>
  loopbackNames.has(host) || loopbackAddress.test(host) || host === "::1";

/**
 * Returns whether a request comes from this machine: its peer is a loopback address, no proxy names another client, and
 * its Host is a loopback name, which stops DNS rebinding. A proxy on this machine that names no client passes too, so
 * the caller must also check the demo token.
 */
function isLocal(header: (name: string) => string | undefined | null, peer: string): boolean {
  const host = (header("host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const name = host.replace(/^\[(.*:.*)\]$/, "$1");
  const direct = forwarding.every((each) => header(each) === undefined || header(each) === null);
  return direct && isLoopback(name) && loopbackAddress.test(peer);
}

/** Returns whether a Node request comes from this machine. */
export const isLocalRequest = ({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">) =>
  isLocal((name) => headers[name]?.toString(), socket.remoteAddress ?? "");

/** Returns whether an account request comes from this machine. The server has put the peer's address into `peerHeader`. */
export const isLocalCall = (headers: Headers, peerHeader: string) =>
  isLocal((name) => headers.get(name), headers.get(peerHeader) ?? "");
