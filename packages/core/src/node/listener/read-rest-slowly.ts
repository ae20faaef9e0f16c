import type { IncomingMessage } from "node:http";

/** Pause between two reads in milliseconds. Node reads at most two megabytes in a turn of the event loop. */
const pauseMs = 100;

const slow = new WeakSet<IncomingMessage>();

/**
 * Receives the rest of a body that nobody needs. A client that sends its whole body before it reads the response still
 * gets it (RFC 9112, section 9.6). But however fast it sends, its bytes cost the other clients little.
 */
export function readRestSlowly(request: IncomingMessage): void {
  if (slow.has(request)) return;
  slow.add(request);
  const { socket } = request;
  const isOver = () => request.complete || socket.destroyed;
  function rest(): void {
    if (isOver()) return;
    socket.pause();
    setTimeout(read, pauseMs);
  }
  function read(): void {
    if (isOver()) return;
    socket.resume();
    setImmediate(rest);
  }
  if (isOver()) return;
  socket.pause();
  // After a response, Node resumes the socket in this turn to discard the body.
  setImmediate(rest);
}
