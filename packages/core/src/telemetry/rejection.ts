import type { RejectedRecord } from "../contract/index.js";

/** Why one record was not taken, whatever its place in the request. */
export type Rejection = Omit<RejectedRecord, "index">;
