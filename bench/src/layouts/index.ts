import { blobRows } from "./blob-rows.js";
import { createChunkedRows } from "./chunked-rows.js";
import { clusteredRows } from "./clustered-rows.js";
import type { Layout } from "./layout.js";
import { leanTextRows } from "./lean-text-rows.js";
import { metricRows } from "./metric-rows.js";
import { packedRows } from "./packed-rows.js";
import { textRows } from "./text-rows.js";

/** What is compared; the first is what the others are told against. */
export const layouts: readonly Layout[] = [
  textRows,
  leanTextRows,
  blobRows,
  clusteredRows,
  metricRows,
  packedRows,
  createChunkedRows(),
];
