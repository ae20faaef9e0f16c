import type { BuiltServers, ServerName } from "./build-servers.js";
import type { RequestFiles } from "./fleet-requests.js";
import { countRecords, type SeededFleet, tokenKeyOf } from "./seed-fleet.js";
import { type ServerProcess, startServer } from "./server-process.js";
import type { Usage } from "./servers/serve.js";
import type { StoreHost } from "./store-host.js";
import type { StorePlace } from "./store-place.js";

let started = 0;

/** What the cases of a run share. */
export interface SpeedSetup {
  readonly host: StoreHost;
  readonly folder: string;
  readonly servers: BuiltServers;
  readonly fleet: SeededFleet;
}

/** A server under load, and how far through the requests it is. */
export interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly files: RequestFiles;
  /** CPU of the database behind it so far, in µs. */
  databaseCpuUs(): number;
  /** Whether it keeps what it is sent: then the devices are to be known to it before it is measured. */
  readonly stores: boolean;
  next: number;
  /** Requests that a generator's end may have cut off: at most one a connection and round. */
  mayBreakOff: number;
  /** Whether it may answer 503 now and then: it is given more than it can take. */
  mayRefuse?: boolean;
  /** Compares what is stored with what was acknowledged, ends the server, and says what it found. */
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

/** Starts a reference that stores. */
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

export interface GatewayStart {
  readonly name: string;
  readonly mount: "listener" | "express";
  readonly files: RequestFiles;
  /** Default: a copy of the fleet's. */
  readonly place?: StorePlace;
  /** Records of the fleet that are there already. */
  readonly recordsBefore?: number;
  readonly nodeOptions?: readonly string[];
}

export async function startGateway(
  { servers, fleet, host }: SpeedSetup,
  start: GatewayStart,
): Promise<Contender> {
  const { name, mount, files } = start;
  const place = start.place ?? (await host.copyPlace(fleet.place, `gateway-${started++}`));
  const options = { place, secrets: fleet.secrets, mount };
  const server = await startServer(servers.program("gateway"), options, start.nodeOptions);
  const finish = async () => {
    const lagMs = await server.ask<number>("lag");
    // Closing waits for what is under way.
    await server.ask("close");
    const usage = await server.usage();
    await server.end();
    const finding = checkCount(
      contender,
      usage,
      (await countRecords(fleet, place)) - (start.recordsBefore ?? 0),
    );
    return [`${finding} Roll-ups caught up ${Math.round(lagMs)} ms after the last request.`];
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

/** Of what it took: a store that refuses more than this is not loaded, but broken. */
const mostRefusedShare = 0.01;

/** Answers that the store could not be used at that moment. */
export const refusalsOf = ({ answered }: Usage) => answered[503] ?? 0;

/**
 * @throws {Error} when a record that was acknowledged is not there, or one too many, or a request was
 * answered with anything but 200, those apart that the generator's end cut off, and the few that may be
 * refused. What was refused may be there: a store that breaks off does not always learn whether it had
 * committed.
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
  const mostRefused = contender.mayRefuse ? mostRefusedShare * good : 0;
  const isBad = Object.keys(others).length > 0 || cutOff > mayBreakOff || refused > mostRefused;
  if (rows < acknowledged || rows > most || isBad) {
    const answers = JSON.stringify(usage.answered);
    throw new Error(`${name}: ${rows} rows, ${acknowledged} acknowledged, answers ${answers}.`);
  }
  const bodies = cutOff > 0 ? ` ${cutOff} bodies broke off when the generator ended.` : "";
  const many = (count: number) => count.toLocaleString("en");
  const found =
    refused === 0
      ? "as many as were acknowledged."
      : `${many(acknowledged)} acknowledged, ${many(refused)} requests refused with 503.`;
  return `${name}: ${many(rows)} rows, ${found}${bodies}`;
}
