import { z } from "zod";
import { limitShape } from "./limit-variables.js";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/**
 * Every setting of the server, by its environment variable: the one place that the parser, the
 * error sentences and the README's table are made from. `form` says what JSON Schema can't,
 * `unless` says when another default holds.
 */
export const Settings = z.object({
  HOST: z.string().regex(/^\S+$/).default("127.0.0.1").meta({
    description: "Address to listen on. `0.0.0.0`: all of them.",
    form: "a name or an address",
  }),
  PORT: z
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .meta({ description: "Port to listen on. 0 picks a free one." }),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => /^https?:\/\/[^/?#@]+\/?$/i.test(url))
    .transform((url) => new URL(url).origin)
    .optional()
    .meta({
      description: "Origin that devices reach, when a proxy stands in front.",
      form: "an origin such as https://gateway.example.com",
      unless: "where it listens",
    }),
  DATA_DIR: z
    .string()
    .default("./data")
    .meta({ description: "Folder of the database and the secrets.", form: "a path" }),
  DEMO: z.boolean().default(false).meta({
    description: "Whether the demo gateway runs.",
    unless: "1 under `npm start`",
  }),
  LOG_LEVEL: z.enum(logLevels).default("info").meta({ description: "Least level to log." }),
  TRUSTED_PROXIES: z.int().min(0).max(32).default(0).meta({
    unit: "proxies",
    description: "How many proxies in front may tell a client's address (`X-Forwarded-For`).",
  }),
  REGISTER_WITHOUT_CLAIM_CODE: z
    .boolean()
    .default(true)
    .meta({ description: "Whether firmware below 0.1.4 may register without a claim code." }),
  ...limitShape,
  DG_LIMIT_HASHES_IN_FLIGHT: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .meta({ unit: "hashes", description: "Memory-hard hashes at work at one time, 32 MiB each." }),
  DG_LIMIT_HASHES_QUEUED: z
    .int()
    .min(0)
    .max(10_000)
    .default(32)
    .meta({ unit: "hashes", description: "Hashes that may wait for their turn; then 503." }),
});
export type Settings = z.output<typeof Settings>;
