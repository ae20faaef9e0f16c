import { recordBounds } from "@device-gateway/core/contract";
import { z } from "zod";
import { accountShape } from "./account-variables.js";
import { customerShape } from "./customer-variables.js";
import { databaseShape } from "./database-variables.js";
import { limitShape } from "./limit-variables.js";
import { operationShape } from "./operation-variables.js";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** A list with commas, as metrics are named: by their path (contract §4). */
const metricNames = z
  .string()
  .transform((list) => [...new Set(list.split(",").map((name) => name.trim()))])
  .pipe(z.array(z.string().min(1).max(recordBounds.nameLength)).max(32));

/**
 * Every setting of the server, by its environment variable: the one place that the parser, the
 * error sentences and the README's table are made from. `form` says what JSON Schema can't,
 * `unless` says when another default holds, `concealed` that a value is never shown.
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
      description:
        "Origin that devices and mails are told. Set it whenever devices are not on this machine.",
      form: "an origin such as https://gateway.example.com",
      unless: "where it listens, if that is one address",
    }),
  DATA_DIR: z
    .string()
    .default("./data")
    .meta({ description: "Folder of the database and the secrets.", form: "a path" }),
  ...databaseShape,
  FIRMWARE_DIR: z.string().optional().meta({
    description: "Folder of firmware images; on Postgres they lie in the database.",
    form: "a path",
    unless: "`firmware` in `DATA_DIR`",
  }),
  FIRMWARE_KEYS: z.string().optional().meta({
    description:
      "Public keys that releases are verified with: a folder of `<id>.public.pem`, or one such file.",
    form: "a path",
    unless: "`firmware-keys` in `DATA_DIR`, if it is there",
  }),
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
  ...operationShape,
  ...accountShape,
  ...customerShape,
  REQUIRE_VERIFIED_EMAIL: z.boolean().default(true).meta({
    description: "Whether a customer needs a verified e-mail address to claim.",
  }),
  FRESH_CODE_AFTER_RELEASE: z.boolean().default(false).meta({
    description: "Whether a released device must register another claim code first.",
  }),
  ROTATE_SECRET_AFTER_SECONDS: z.int().min(60).max(3_153_600_000).optional().meta({
    unit: "seconds",
    description: "Age of a device's secret after which a login brings a new one.",
    unless: "never",
  }),
  SUMMARY_METRICS: metricNames.optional().meta({
    description: "Metrics whose latest values stand in the device list.",
    form: "names such as soc,bms.voltage",
    unless: "none",
  }),
  ...limitShape,
});
export type Settings = z.output<typeof Settings>;
