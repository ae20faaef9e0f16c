import type { GatewayStore, Logger } from "@device-gateway/core/store";

/** The ports that the sink uses. */
export type SinkStore = Pick<GatewayStore, "telemetry" | "followers" | "changes">;

export interface TelemetrySinkOptions {
  /**
   * Where to write: `http://host:8428/write` (VictoriaMetrics), `http://host:8086/write?db=gateway` (InfluxDB 1) or
   * `https://host/api/v2/write?org=o&bucket=b` (InfluxDB 2). A user name and password in it are sent as Basic
   * authentication.
   */
  readonly url: string;
  /** Sent as `Authorization: Token …`. */
  readonly token?: string;
  /** Further headers, such as another `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Names the durable cursor. Sinks with different names are independent. If several processes use one name, one of them
   * writes at a time. Default: `telemetry-sink`.
   */
  readonly name?: string;
  /** Where a sink without a stored cursor begins: with all stored records (default), or with new records. */
  readonly startAt?: "oldest" | "newest";
  /** Default: `telemetry`. */
  readonly measurement?: string;
  /** Metrics to send, as `soc` or `bms.*`. Default: all. */
  readonly metrics?: readonly string[];
  /**
   * Different metrics of one device since the process started, for each of at most four values of `hardware`. Others are
   * left out. Default: 256.
   */
  readonly maxMetricsPerDevice?: number;
  /**
   * Series of all devices since the process started. Others are left out. While less than a quarter is left, a device gets
   * at most a sixteenth of `maxMetricsPerDevice`. Default: 1,000,000.
   */
  readonly maxSeries?: number;
  /** Milliseconds between two looks for new records. Default: 1,000. */
  readonly pollMs?: number;
  /** How long the receiver may take to answer, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * How long the receiver may keep accepted lines in memory only, in milliseconds. Lines that are younger are written
   * again after a connection has ended. Default: 10,000.
   */
  readonly settleMs?: number;
  /** Receives outages and rejected records. It never receives the token. Default: silent. */
  readonly logger?: Logger;
}

/** Options with all defaults. */
export interface SinkSettings {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
  readonly startAt: "oldest" | "newest";
  readonly measurement: string;
  readonly metrics: readonly string[] | undefined;
  readonly maxMetricsPerDevice: number;
  readonly maxSeries: number;
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly logger: Logger | undefined;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("url: give an http or https URL, such as http://localhost:8428/write");
  }
  url.searchParams.set("precision", "ms");
  return url;
}

function checkPositive(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new TypeError(`${name}: give a whole number above 0`);
    }
  }
}

/**
 * Takes the user name and password out of the URL, because `fetch` refuses them there.
 * @throws {TypeError} if they cannot be decoded.
 */
function takeLogin(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  let login: string;
  try {
    login = decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw new TypeError("url: write % as %25 in the user name and the password");
  }
  url.username = "";
  url.password = "";
  return { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

/**
 * Reads the options.
 * @throws {TypeError} if one of them is invalid.
 */
export function readSinkOptions(options: TelemetrySinkOptions): SinkSettings {
  const { token, headers = {}, name = "telemetry-sink", measurement = "telemetry" } = options;
  const { startAt = "oldest", metrics, logger, maxMetricsPerDevice = 256 } = options;
  const { maxSeries = 1_000_000, pollMs = 1_000, timeoutMs = 10_000, settleMs = 10_000 } = options;
  const url = readUrl(options.url);
  if (!/^[^\p{Cc}\\#_][^\p{Cc}\\]*$/u.test(measurement)) {
    throw new TypeError(
      "measurement: give a name without backslashes that does not begin with # or _",
    );
  }
  if (metrics?.length === 0) {
    throw new TypeError("metrics: name at least one metric, or leave it out for all");
  }
  checkPositive({ maxMetricsPerDevice, maxSeries, pollMs, timeoutMs, settleMs });
  const login = takeLogin(url);
  const authorization = token === undefined ? login : { authorization: `Token ${token}` };
  return {
    url,
    headers: { ...authorization, ...headers },
    ...{ name, startAt, measurement, metrics, maxMetricsPerDevice, maxSeries },
    ...{ pollMs, timeoutMs, settleMs, logger },
  };
}
