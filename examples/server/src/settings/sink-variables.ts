import { recordBounds } from "@device-gateway/core/contract";
import { z } from "zod";
import { isDecodableUrl, undecodableUrl } from "./url-escapes.js";

const invalidUrl =
  "must be an http or https URL of a write API, such as http://localhost:8428/write or http://localhost:8086/write?db=gateway. Correct it or unset it for no sink.";

const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

/** A comma-separated list of metric names and beginnings of names (§4). */
const selection = z
  .string()
  .transform((list) => [...new Set(list.split(",").map((name) => name.trim()))])
  .pipe(z.array(z.string().min(1).max(recordBounds.nameLength)).max(256));

/** Settings of the telemetry sink. */
export const sinkShape = {
  TELEMETRY_SINK_URL: z
    .string(invalidUrl)
    .refine(isWebUrl, { error: invalidUrl, abort: true })
    .refine(isDecodableUrl, { error: undecodableUrl })
    .optional()
    .meta({
      description:
        "Write API of InfluxDB 1 or 2, VictoriaMetrics or another database that takes line protocol. All telemetry is copied to it.",
      form: "a URL such as http://localhost:8428/write",
      unless: "no sink",
      concealed: true,
    }),
  TELEMETRY_SINK_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be characters of ASCII without spaces. Correct it or unset it.")
    .optional()
    .meta({
      description: "Token of the sink, sent as `Authorization: Token …`.",
      form: "a token",
      unless: "none",
      concealed: true,
    }),
  TELEMETRY_SINK_METRICS: selection.optional().meta({
    description: "Metrics that the sink gets.",
    form: "names and beginnings such as soc,bms.*",
    unless: "all",
  }),
};
