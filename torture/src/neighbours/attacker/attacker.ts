import { Agent, type ClientRequest, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Message, numbered, toWire } from "../requests/message.js";
import type { Orders } from "./orders.js";
import { createPace, type Pace } from "./pace.js";
import { Counter, type Tally } from "./tally.js";

interface Line {
  readonly orders: Orders;
  readonly counter: Counter;
  readonly pace: Pace;
  isStopped(): boolean;
}

const messageOf = ({ messages }: Orders, number: number): Message => {
  const { method, target, headers, body } = messages[number % messages.length] as Message;
  const numberedHeaders = Object.entries(headers).map(([name, value]) => [
    name,
    numbered(value, number),
  ]);
  return {
    method,
    target: numbered(target, number),
    headers: Object.fromEntries(numberedHeaders) as Message["headers"],
    body: numbered(body, number),
  };
};

const startOf = (line: Line, agent: Agent, message: Message): ClientRequest =>
  request({
    host: "127.0.0.1",
    port: line.orders.port,
    agent,
    method: message.method,
    path: message.target,
    headers: message.headers,
  });

/** Sends a request and waits for the end of the response, or for the beginning of an event stream. */
const askOnce = (line: Line, agent: Agent, message: Message) =>
  new Promise<void>((resolve) => {
    const sent = startOf(line, agent, message);
    const { counter } = line;
    sent.on("response", (answer) => {
      counter.note(answer.statusCode ?? 0);
      answer.on("close", resolve).on("error", resolve);
      if (answer.headers["content-type"]?.startsWith("text/event-stream")) answer.destroy();
      else answer.resume();
    });
    sent.on("error", () => {
      counter.note("cut");
      resolve();
    });
    const { body } = message;
    counter.requests += 1;
    counter.bytes += toWire(message).length;
    if (body === "") sent.end();
    else if (sent.hasHeader("transfer-encoding")) sent.end(body);
    else sent.setHeader("content-length", body.length).end(body);
  });

async function askInTurn(line: Line): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let n = await line.pace.next(); n !== null; n = await line.pace.next()) {
    await askOnce(line, agent, messageOf(line.orders, n));
  }
}

const openSocket = (port: number, reads: boolean) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(socket));
    socket.once("close", () => resolve(null));
    socket.on("error", () => {});
    if (reads) socket.resume();
    else socket.pause();
  });

/** The most unsent bytes that the attacker buffers for a connection. */
const maxUnsent = 8_000_000;
const restMs = 20;

/** Sends requests without waiting for responses. Opens a new connection if the server closes one. */
async function sendOn(line: Line): Promise<void> {
  const { orders, counter, pace } = line;
  let socket: Socket | null = null;
  const opened: Socket[] = [];
  let counted = 0;
  for (let n = await pace.next(); n !== null; n = await pace.next()) {
    while (socket === null || socket.destroyed || socket.writableLength > maxUnsent) {
      if (line.isStopped()) return;
      if (socket === null || socket.destroyed) {
        socket = await openSocket(orders.port, orders.style === "pipelined");
        if (socket !== null) opened.push(socket);
        if (orders.opening !== null) socket?.write(toWire(orders.opening), "latin1");
      }
      if (socket === null || socket.writableLength > maxUnsent) await wait(restMs);
    }
    socket.write(toWire(messageOf(orders, n)), "latin1");
    counter.requests += 1;
    const handed = opened.reduce((sum, one) => sum + one.bytesWritten - one.writableLength, 0);
    counter.bytes += handed - counted;
    counted = handed;
    // Yields, so that the socket notices when it was closed.
    if (n % 100 === 0) await wait(0);
  }
}

const piece = Buffer.alloc(65_536, "x");

/** Sends an endless body until the server responds, closes the connection, or has read 64 MB. */
const sendEndless = (line: Line, agent: Agent, message: Message) =>
  new Promise<void>((resolve) => {
    const sent = startOf(line, agent, message);
    const { orders, counter } = line;
    counter.requests += 1;
    let bytes = 0;
    let over = false;
    const end = (status: number | string) => {
      if (over) return;
      over = true;
      counter.note(status);
      resolve();
    };
    const fill = () => {
      while (!sent.destroyed && bytes < orders.endlessBytes) {
        bytes += piece.length;
        counter.bytes += piece.length;
        if (!sent.write(piece)) return;
      }
      sent.end();
      if (bytes >= orders.endlessBytes) setTimeout(() => end("taken"), 1_000).unref();
    };
    sent.on("response", (answer) => {
      answer.resume();
      end(answer.statusCode ?? 0);
    });
    sent.on("drain", fill);
    sent.on("error", () => end("cut"));
    fill();
  });

async function sendEndlessInTurn(line: Line): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  for (let n = await line.pace.next(); n !== null; n = await line.pace.next()) {
    await sendEndless(line, agent, messageOf(line.orders, n));
  }
}

const ways = {
  answered: askInTurn,
  crowded: askInTurn,
  pipelined: sendOn,
  unread: sendOn,
  endless: sendEndlessInTurn,
} as const;

export interface Attacking {
  /** Resolves when all requests are sent. */
  readonly spent: Promise<void>;
  stop(): Tally;
}

export function startAttacker(orders: Orders): Attacking {
  let stopped = false;
  const counter = new Counter();
  const isStopped = () => stopped;
  const pace = createPace(orders, isStopped);
  const line = { orders, counter, pace, isStopped };
  const connections = Array.from({ length: orders.connections }, () => ways[orders.style](line));
  return {
    spent: Promise.all(connections).then(() => {}),
    stop() {
      stopped = true;
      return counter.read();
    },
  };
}
