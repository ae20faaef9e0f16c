import { CliError, exitCodes, type Values } from "../command.js";
import { type Profile, profiles } from "./profile.js";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function toMs(option: string, text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new CliError(
    `--${option}: "${text}" is not a duration. Use one such as 500ms, 10s or 5m.`,
    exitCodes.usage,
  );
}

function toCount(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CliError(`--${option}: "${text}" is not a number from 1 to 999999.`, exitCodes.usage);
}

function checkVersion(option: string, text: string): string {
  if (/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text)) return text;
  throw new CliError(
    `--${option}: "${text}" is not a version. Use one such as 1.4.0.`,
    exitCodes.usage,
  );
}

/** The address of the server and the prefix, which `simulate clean-up` has too. */
export const fleetOptions = {
  url: {
    type: "string",
    value: "URL",
    help: "Address of the gateway, such as http://127.0.0.1:3000.",
    required: true,
    variable: "DEVICE_GATEWAY_URL",
  },
  "base-path": {
    type: "string",
    value: "PATH",
    help: "Base path of the API.",
    default: "/api/v1",
  },
  prefix: {
    type: "string",
    value: "NAME",
    help: "Prefix of the device ids.",
    default: "sim",
  },
} as const;

/** The options of `simulate`. */
export const simulateOptions = {
  ...fleetOptions,
  devices: { type: "string", value: "N", help: "Number of gateways.", default: "10" },
  interval: { type: "string", value: "TIME", help: "Time between two readings.", default: "10s" },
  duration: {
    type: "string",
    value: "TIME",
    help: "Duration of the run after all gateways have registered.",
    default: "1m",
  },
  profile: {
    type: "string",
    value: "NAME",
    help: `Frequency of faults: ${Object.keys(profiles).join(", ")}.`,
    default: "steady",
  },
  "claim-code": {
    type: "string",
    value: "CODE",
    help: "Claim code of all gateways, so that you can claim one. Without it, each has 80 random bits.",
  },
  firmware: {
    type: "string",
    value: "X.Y.Z",
    help: "Firmware version that the gateways run at the start.",
    default: "1.0.0",
  },
  "expect-version": {
    type: "string",
    value: "X.Y.Z",
    help: "Fails unless every gateway runs this version at the end.",
  },
  target: {
    type: "string",
    value: "NAME",
    help: "Target hardware of the gateways. Releases are matched on it.",
    default: "sim-virtual",
  },
  key: {
    type: "string",
    value: "FILE",
    help: "Public key of releases, in a file that is named after the id of the key: KEY-ID.public.pem. Without it, the gateways install no firmware.",
  },
  seed: {
    type: "string",
    value: "N",
    help: "The same seed gives the same random faults.",
    default: "1",
  },
  "clean-up": {
    type: "boolean",
    help: "Erases the gateways after the run. Needs the token of an operator.",
  },
  token: {
    type: "string",
    value: "TOKEN",
    help: "Token of an operator, for --clean-up. Prefer the variable, which keeps the token out of the process list.",
    variable: "DEVICE_GATEWAY_TOKEN",
  },
} as const;

/** The parsed options of a simulated fleet. */
export interface FleetPlan {
  readonly profile: Profile;
  readonly devices: number;
  readonly intervalMs: number;
  readonly durationMs: number;
  readonly seed: number;
  readonly firmware: string;
  readonly expectedVersion: string | null;
}

/** Parses the options. @throws {CliError} if one is invalid. */
export function readFleetPlan(values: Values<typeof simulateOptions>): FleetPlan {
  const profile = profiles[values.profile];
  if (profile === undefined) {
    const known = Object.keys(profiles).join(", ");
    throw new CliError(`--profile: "${values.profile}" is unknown. Use ${known}.`, exitCodes.usage);
  }
  const expected = values["expect-version"];
  if (values["clean-up"] && !values.token) {
    throw new CliError(
      "--clean-up needs the token of an operator. Pass --token or set DEVICE_GATEWAY_TOKEN.",
      exitCodes.usage,
    );
  }
  return {
    profile,
    devices: toCount("devices", values.devices),
    intervalMs: toMs("interval", values.interval),
    durationMs: toMs("duration", values.duration),
    seed: toCount("seed", values.seed),
    firmware: checkVersion("firmware", values.firmware),
    expectedVersion: expected === undefined ? null : checkVersion("expect-version", expected),
  };
}

/** Notes for the help of `simulate`. */
export const simulateNotes = [
  "The gateways download, verify and install firmware with the reference updater. They are offered releases for",
  "their --target that are newer than --firmware. Depending on the profile, some new firmware is bad and the",
  "gateways roll back. To see a rollout halt itself, publish a release for their --target.",
  "",
  "The exit code is 1 if a reading was lost, stored twice or rejected, if a gateway stayed on bad firmware,",
  "refused an offer, or got an error that a retry does not fix, if an update failed for another reason than bad",
  "firmware, or if --expect-version is not met.",
  "",
  "A server lets 120 gateways of one address register per minute, and the others wait. To register thousands, run",
  "the bundled server with RANDOM_CLAIM_CODES=1 and PRODUCTION_ADDRESSES=127.0.0.1 (the address of this machine).",
  "",
  "Gateways of interrupted runs are erased by: device-gateway simulate clean-up",
  "",
  "  device-gateway simulate --url http://127.0.0.1:3000 --devices 1000 --interval 10s --profile rough",
].join("\n");
