import type { RejectedRecord } from "../../contract/index.js";

/** Why a record was rejected, without its index in the request. */
export type Rejection = Omit<RejectedRecord, "index">;
