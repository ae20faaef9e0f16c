/**
 * Resolves when a request may continue long work. Call it between pieces of a few milliseconds. While other clients are
 * active, the request rests after each piece. A `charged` piece, the default, counts towards the share of the time that the
 * client's long work may take, together with the `uncharged` pieces before it.
 */
export type Turn = (piece?: "charged" | "uncharged") => Promise<void>;
