import { createAddressRanges } from "@device-gateway/core";
import { recordBounds } from "@device-gateway/core/contract";
import { z } from "zod";
import { accountShape } from "./account-variables.js";
import { alertShape } from "./alert-variables.js";
import { customerShape } from "./customer-variables.js";
import { databaseShape } from "./database-variables.js";
import { limitShape } from "./limit-variables.js";
import { operationShape } from "./operation-variables.js";
import { sinkShape } from "./sink-variables.js";
import { webhookShape } from "./webhook-variables.js";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** A comma-separated list of metric names (§4). */
const metricNames = z
  .string()
  .transform((list) => [...new Set(list.split(",").map((name) => name.trim()))])
  .pipe(z.array(z.string().min(1).max(recordBounds.nameLength)).max(32));

/** A comma-separated list of address ranges. */
const addressRanges = z
  .string()
  .transform((list) => list.split(",").map((range) => range.trim()))
  .refine((ranges) => {
    try {
      createAddressRanges("PRODUCTION_ADDRESSES", ranges);
      return true;
    } catch {
      return false;
    }
  });

/**
 * Every setting of the server by its environment variable. The parser, the error sentences and the README's table are
 * derived from it. `form` describes valid values where JSON Schema cannot, `unless` adds to the default or replaces it, and
 * `concealed` marks values that are never shown.
 */
export const Settings = z.object({
  HOST: z.string().regex(/^\S+$/).default("127.0.0.1").meta({
    description: "Address to listen on. `0.0.0.0` means all addresses.",
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
        "Origin of download URLs and of links in mails. Set it if devices are not on this machine.",
      form: "an origin such as https://gateway.example.com",
      unless: "the URL it listens on, if that is one address",
    }),
  DATA_DIR: z
    .string()
    .default("./data")
    .meta({ description: "Folder of the database and the secrets.", form: "a path" }),
  ...databaseShape,
  FIRMWARE_DIR: z.string().optional().meta({
    description: "Folder of firmware images. On Postgres, images are in the database.",
    form: "a path",
    unless: "`firmware` in `DATA_DIR`",
  }),
  FIRMWARE_KEYS: z.string().optional().meta({
    description:
      "Public keys that verify releases: a folder of `<id>.public.pem` files, or one such file.",
    form: "a path",
    unless: "`firmware-keys` in `DATA_DIR`, if it exists",
  }),
  COMMANDS_FILE: z.string().optional().meta({
    description: "JSON file of the commands that users can send to devices.",
    form: "a path",
    unless: "only `update-now`",
  }),
  DEMO: z.boolean().default(false).meta({
    description: "Whether the demo gateway runs.",
    unless: "1 under `npm start`",
  }),
  LOG_LEVEL: z.enum(logLevels).default("info").meta({ description: "Lowest level to log." }),
  TRUSTED_PROXIES: z.int().min(0).max(32).default(0).meta({
    unit: "proxies",
    description:
      "How many proxies in front of the server may set the client's address (`X-Forwarded-For`).",
  }),
  REGISTER_WITHOUT_CLAIM_CODE: z
    .boolean()
    .default(true)
    .meta({ description: "Whether firmware below 0.1.4 may register without a claim code." }),
  ...operationShape,
  ...sinkShape,
  ...webhookShape,
  ...accountShape,
  ...customerShape,
  ...alertShape,
  REQUIRE_VERIFIED_EMAIL: z.boolean().default(true).meta({
    description: "Whether a customer needs a verified e-mail address to claim a device.",
  }),
  FRESH_CODE_AFTER_RELEASE: z.boolean().default(false).meta({
    description:
      "Whether a released device must register a new claim code before it can be claimed again.",
  }),
  RANDOM_CLAIM_CODES: z.boolean().default(false).meta({
    description:
      "Declares that every claim code of 16 characters or more has at least 80 random bits. Such a code takes no slow hash to register.",
  }),
  PRODUCTION_ADDRESSES: addressRanges.optional().meta({
    description:
      "Address ranges of production lines. Registrations from them are exempt from `DG_LIMIT_AUTH_PER_MINUTE`, and from no other limit.",
    form: "ranges such as 198.51.100.0/24,2001:db8::/48",
    unless: "none",
  }),
  ROTATE_SECRET_AFTER_SECONDS: z.int().min(60).max(3_153_600_000).optional().meta({
    unit: "seconds",
    description: "Age of a device's secret after which a login rotates it.",
    unless: "never",
  }),
  SUMMARY_METRICS: metricNames.optional().meta({
    description: "Metrics whose latest values are in the device list.",
    form: "names such as soc,bms.voltage",
    unless: "none",
  }),
  ...limitShape,
});
export type Settings = z.output<typeof Settings>;
