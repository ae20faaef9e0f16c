import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { BuiltServers, ServerName } from "./build-servers.js";
import type { RequestFiles } from "./fleet-requests.js";
import { countRecords, type SeededFleet, tokenKeyOf } from "./seed/seed-fleet.js";
import { type ServerProcess, startServer } from "./server-process.js";
import type { Usage } from "./servers/serve.js";
import type { StoreHost } from "./store/store-host.js";
import type { StorePlace } from "./store/store-place.js";

let started = 0;

/** The objects that all cases of a run share. */
export interface SpeedSetup {
  readonly host: StoreHost;
  readonly folder: string;
  readonly servers: BuiltServers;
  readonly fleet: SeededFleet;
}

/** A server under load, with its position in the list of requests. */
export interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly files: RequestFiles;
  /** CPU of its database so far, in µs. */
  databaseCpuUs(): number;
  /** Whether it stores records. It must then have met all devices before it is measured. */
  readonly stores: boolean;
  next: number;
  /** Requests that the end of the generator may have cut off: at most one per connection and round. */
  mayBreakOff: number;
  /** Whether it may return some 503, because the load is more than it can take. */
  mayRefuse?: boolean;
  /** Compares stored with acknowledged records, ends the server, and returns notes. */
  finish(): Promise<readonly string[]>;
}

export async function startBare(
  { servers }: SpeedSetup,
  program: "bare-http" | "bare-express",
  files: RequestFiles,
): Promise<Contender> {
  const server = await startServer(servers.program(program));
  const name = program === "bare-http" ? "bare node:http" : "bare Express";
  const finish = async () => {
    await server.end();
    return [];
  };
  const databaseCpuUs = () => 0;
  return { name, server, files, databaseCpuUs, stores: false, next: 0, mayBreakOff: 0, finish };
}

export interface ReferenceStart {
  readonly name: string;
  readonly program: ServerName;
  readonly options: unknown;
  readonly files: RequestFiles;
}

/** Starts a reference that stores records. */
export async function startContender(
  { servers, host }: SpeedSetup,
  { name, program, options, files }: ReferenceStart,
): Promise<Contender> {
  const server = await startServer(servers.program(program), options);
  const finish = async () => {
    const rows = await server.ask<number>("records");
    const finding = checkCount(contender, await server.usage(), rows);
    await server.end();
    return [finding];
  };
  const contender: Contender = {
    name,
    server,
    files,
    databaseCpuUs: host.cpuUs,
    stores: true,
    next: 0,
    mayBreakOff: 0,
    finish,
  };
  return contender;
}

export async function startHandWritten(setup: SpeedSetup, files: RequestFiles): Promise<Contender> {
  const tokenKey = tokenKeyOf(setup.fleet.secrets).toString("base64url");
  const place = await setup.host.newPlace(`hand-written-${started++}`);
  const options = { place, tokenKey };
  return startContender(setup, { name: "hand-written", program: "hand-written", options, files });
}

/** A bare gateway on `node:http`, or the bundled server with its accounts. */
export type PlainMount = "listener" | "bundled";

export interface GatewayStart {
  readonly name: string;
  readonly mount: PlainMount | "express";
  readonly files: RequestFiles;
  /** Default: a copy of the fleet's place. */
  readonly place?: StorePlace;
  /** Records of the fleet that the place already has. */
  readonly recordsBefore?: number;
  /** Whether the server evaluates alert rules. Default: false. */
  readonly alerts?: boolean;
  readonly nodeOptions?: readonly string[];
  /** Whether the bundled server's maintenance also runs every second, so that each round contains some. Default: true. */
  readonly maintainsEverySecond?: boolean;
}

export async function startGateway(
  { servers, fleet, host, folder: setupFolder }: SpeedSetup,
  start: GatewayStart,
): Promise<Contender> {
  const { name, mount, files } = start;
  // The bundled server names the file of its folder itself.
  const folder = join(setupFolder, `server-${started++}`);
  mkdirSync(folder);
  const copy = join(basename(folder), "gateway");
  const place = start.place ?? (await host.copyPlace(fleet.place, copy));
  const bytesBefore = await host.bytesAt(place);
  const { alerts = false, maintainsEverySecond } = start;
  const options = { place, folder, secrets: fleet.secrets, mount, alerts, maintainsEverySecond };
  const program = servers.program(mount === "bundled" ? "bundled" : "gateway");
  const server = await startServer(program, options, start.nodeOptions);
  const finish = async () => {
    const lagMs = await server.ask<number>("lag");
    // `close` waits for the work that is under way.
    await server.ask("close");
    const usage = await server.usage();
    await server.end();
    const rows = (await countRecords(fleet, place)) - (start.recordsBefore ?? 0);
    const finding = checkCount(contender, usage, rows);
    const bytes = Math.round(((await host.bytesAt(place)) - bytesBefore) / rows);
    return [
      `${finding} ${bytes} bytes on disk for each record. Roll-ups caught up ${Math.round(lagMs)} ms after the last request.`,
    ];
  };
  const contender: Contender = {
    name,
    server,
    files,
    databaseCpuUs: host.cpuUs,
    stores: true,
    next: 0,
    mayBreakOff: 0,
    finish,
  };
  return contender;
}

export const answersOf = ({ answered }: Usage) =>
  Object.values(answered).reduce((sum, count) => sum + count, 0);

/** A store that refuses a larger share than this is not overloaded but broken. */
const maxRefusedShare = 0.01;

/** Responses that report an unavailable store. */
export const refusalsOf = ({ answered }: Usage) => answered[503] ?? 0;

/**
 * Compares the stored rows with the acknowledged records.
 *
 * @throws {Error} when an acknowledged record is missing, a row is extra, or a response is not 200. Requests that
 * the end of the generator cut off, and a few 503 if allowed, do not count. A refused record may be stored: a
 * store that times out does not always learn whether it has committed.
 */
export function checkCount(
  contender: Pick<Contender, "name" | "files" | "mayBreakOff" | "mayRefuse">,
  usage: Pick<Usage, "answered">,
  rows: number,
): string {
  const { name, files, mayBreakOff } = contender;
  const { 200: good = 0, 400: cutOff = 0, 503: refused = 0, ...others } = usage.answered;
  const acknowledged = good * files.recordsPerRequest;
  const most = acknowledged + refused * files.recordsPerRequest;
  const maxRefused = contender.mayRefuse ? maxRefusedShare * good : 0;
  const isBad = Object.keys(others).length > 0 || cutOff > mayBreakOff || refused > maxRefused;
  if (rows < acknowledged || rows > most || isBad) {
    const answers = JSON.stringify(usage.answered);
    throw new Error(`${name}: ${rows} rows, ${acknowledged} acknowledged, responses ${answers}.`);
  }
  const bodies = cutOff > 0 ? ` ${cutOff} bodies were cut off when the generator ended.` : "";
  const format = (count: number) => count.toLocaleString("en");
  const found =
    refused === 0
      ? "as many as acknowledged."
      : `${format(acknowledged)} acknowledged, ${format(refused)} requests refused with 503.`;
  return `${name}: ${format(rows)} rows, ${found}${bodies}`;
}
