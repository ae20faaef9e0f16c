/** A place in the code, as a profile names it. */
export interface Frame {
  /** Path of the source, `node:…` for Node's own, empty for built-in and native code. */
  readonly source: string;
  readonly name: string;
}

interface Part {
  readonly name: string;
  readonly source: RegExp;
}

const databaseDriver = /node_modules\/pg(-\w+)?\//;

/** The first match counts. */
const parts: readonly Part[] = [
  { name: "request id", source: /core\/src\/(http\/request\/request-id|ports\/random)/ },
  { name: "routing", source: /core\/src\/http\/request\/match-route/ },
  {
    name: "device token",
    source: /core\/src\/(auth\/|http\/request\/authenticate|user\/)|node_modules\/jose/,
  },
  { name: "device cache", source: /core\/src\/(device|change)\// },
  { name: "throttles", source: /core\/src\/throttle\// },
  { name: "JSON.parse of the body", source: /core\/src\/http\/request\/json-body/ },
  {
    name: "request's schemas",
    source: /core\/src\/(http\/request\/read-input|contract\/)|node_modules\/zod/,
  },
  {
    name: "record's rules",
    source: /core\/src\/telemetry\/(ingest\/(parse-record|check-bounds)|flatten)/,
  },
  { name: "record packed", source: /core\/src\/telemetry\/packing\// },
  { name: "OTA difference", source: /core\/src\/ota\// },
  { name: "ingest", source: /core\/src\/((telemetry|config)\/|shared\/timestamp)/ },
  { name: "response rendered", source: /core\/src\/http\/render/ },
  { name: "handler: promises, deadline", source: /core\/src\/(http|context|shared\/failure)/ },
  { name: "coalesce", source: /core\/src\/coalesce/ },
  { name: "http in and out: ours", source: /core\/src\/node\/|adapter-express\/|servers\// },
  {
    name: "roll-ups and maintenance",
    source: /core\/src\/maintain|store-\w+\/src\/telemetry\/((telemetry-)?rollup|open-hours)/,
  },
  {
    name: "store: begin, commit with fsync",
    source: /better-sqlite3\/lib|store-sqlite\/src\/database\/(connection|busy-retry)/,
  },
  {
    name: "store: last seen, device known",
    source: /store-sqlite\/src\/device\/telemetry-senders/,
  },
  {
    name: "store: shapes, device numbers",
    source: /store-\w+\/src\/(telemetry\/shapes\/|device\/device-numbers)/,
  },
  { name: "store: records inserted", source: /store-sqlite\/src\// },
  {
    name: "store: connection, statements",
    source:
      /store-postgres\/src\/database\/(connection|pool|statement|busy-retry|silence|answer-in-time)/,
  },
  { name: "store: batches of records", source: /store-postgres\/src\// },
  { name: "pg: pool, protocol", source: databaseDriver },
  { name: "Express", source: /node_modules\/(express|router|parseurl|finalhandler|body-parser)/ },
  { name: "http in and out: Node's", source: /^node:/ },
];

/** Libraries and helpers whose time counts for their caller. */
const helpers = /noble|neverthrow|core\/src\/shared\/(bytes|json|bounded-cache)\.ts/;

/** Returns the name of the part that a sample belongs to. `stack` starts with the innermost frame. */
export function partOf(stack: readonly Frame[]): string {
  const [self] = stack;
  if (self?.name === "(garbage collector)") return "garbage collection";
  if (self?.name === "(program)") return "native: sockets, libuv, the kernel";
  const nearest = stack.find(({ source }) => source !== "" && !helpers.test(source));
  // Node's socket code below the driver counts as the driver's work.
  const driver = stack.find(({ source }) => databaseDriver.test(source));
  const owner = nearest?.source.startsWith("node:") ? (driver ?? nearest) : nearest;
  if (owner === undefined) return "promises, timers, the rest";
  const part = parts.find(({ source }) => source.test(owner.source));
  return part?.name ?? `other: ${owner.source}`;
}
