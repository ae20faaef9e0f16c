/**
 * Resolves when a request may continue long work. Call it between pieces of a few milliseconds. A transport may let the
 * request rest here: the listener for Node does so while other clients are active. It charges a `charged` piece, the
 * default, to the client's share of the time, together with the `uncharged` pieces before it.
 */
export type Turn = (piece?: "charged" | "uncharged") => Promise<void>;
