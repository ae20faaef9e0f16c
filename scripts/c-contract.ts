import { Limits } from "@device-gateway/core";
import {
  maxBatchRecords,
  OtaState,
  problems,
  RejectionCode,
  type Route,
  recordBounds,
  routes,
  SignatureAlgorithm,
} from "@device-gateway/core/contract";

const toMacro = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toUpperCase();

/** Routes that a device calls: with its token, or before it has one. */
const ofDevices = (name: string, { auth }: Route) =>
  auth.some((caller) => caller === "device") || name === "registerDevice" || name === "loginDevice";

const define = (name: string, value: string | number) =>
  `#define DG_${name} ${typeof value === "string" ? JSON.stringify(value) : value}`;

/** Returns a macro that applies `X` to each entry, so that C can make an enum and a table of the same list. */
const list = (name: string, entries: readonly string[]) =>
  [`#define DG_${name}(X) \\`, entries.map((entry) => `  X(${entry})`).join(" \\\n")].join("\n");

const quote = (word: string) => `${toMacro(word)}, ${JSON.stringify(word)}`;

/** Returns the C header with the part of the contract that firmware needs: routes, limits, states and error codes. */
export function cContract(): string {
  const limits = Limits.parse({});
  const deviceRoutes = Object.entries<Route>(routes).filter(([name, route]) =>
    ofDevices(name, route),
  );
  return [
    "/* Made by `pnpm generate` from the contract. Do not edit. */",
    "#ifndef DEVICE_GATEWAY_CONTRACT_H",
    "#define DEVICE_GATEWAY_CONTRACT_H",
    "",
    "/* Routes for devices, below the base path. `:name` is a parameter. */",
    define("BASE_PATH", "/api/v1"),
    ...deviceRoutes.flatMap(([name, { method, path }]) => [
      define(`${toMacro(name)}_METHOD`, method),
      define(`${toMacro(name)}_PATH`, path),
    ]),
    "",
    "/* Limits of one request and of one record. A server may have other limits for bodies. */",
    define("MAX_BATCH_RECORDS", maxBatchRecords),
    define("TELEMETRY_BODY_BYTES", limits.telemetryBodyBytes),
    define("BODY_BYTES", limits.bodyBytes),
    define("RECORD_METRICS", recordBounds.metrics),
    define("RECORD_DEPTH", recordBounds.depth),
    define("RECORD_NAME_LENGTH", recordBounds.nameLength),
    "",
    "/* Default limits of the server for one device. */",
    define("TOKEN_TTL_SECONDS", limits.tokenTtlSeconds),
    define("TELEMETRY_PER_MINUTE", limits.telemetryPerMinute),
    define("METRICS_PER_MINUTE", limits.metricsPerMinute),
    define("TELEMETRY_RETENTION_DAYS", limits.telemetryRetentionDays),
    "",
    "/* Error codes, with their HTTP status. */",
    list(
      "PROBLEMS",
      Object.entries(problems).map(([code, { status }]) => `${quote(code)}, ${status}`),
    ),
    "",
    "/* Why a single record was rejected. */",
    list("REJECTIONS", RejectionCode.options.map(quote)),
    "",
    "/* States of an update. */",
    list("OTA_STATES", OtaState.options.map(quote)),
    "",
    "/* Algorithms of release signatures. */",
    list("SIGNATURE_ALGORITHMS", SignatureAlgorithm.options.map(quote)),
    "",
    "#endif",
    "",
  ].join("\n");
}
