import { createServer, type Server } from "node:http";
import { createGateway, type Gateway, type JsonObject, type Logger } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import type { Express } from "express";
import { closeGracefully } from "./close-gracefully.js";
import { createApp } from "./create-app.js";
import { createCustomers } from "./customers.js";
import { readFirmwareKeys } from "./firmware-keys.js";
import { limitBodyTime } from "./limit-body-time.js";
import { listen } from "./listen.js";
import { startMaintenance } from "./maintenance.js";
import { type OpenData, openData } from "./open-data.js";
import { toLimits } from "./settings/limit-variables.js";
import type { Settings } from "./settings/settings.js";

export interface ServerOptions {
  readonly logger: Logger;
  /** Configuration of kinds of devices, by target hardware (contract §5). */
  readonly configByTargetHardware?: Readonly<Record<string, JsonObject>>;
}

export interface RunningServer {
  /** Where this machine reaches it. */
  readonly url: string;
  /** Answers what is under way, for up to 5 s, and closes the database. */
  stop(): Promise<void>;
}

const answerGraceMs = 5_000;

/** The listener's time-outs, which contract §9 leaves to whoever owns it: against slow clients. */
const timeouts = {
  headersTimeout: 15_000,
  // `limitBodyTime` ends slow bodies sooner; an image may take as long as it goes on coming.
  requestTimeout: 24 * 3_600_000,
  // Longer than the 60 s of common load balancers, so that they never write into a closing socket.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

const bodyTimes = { bodyMs: 60_000, afterAnswerMs: 5_000 };

async function buildGateway(
  settings: Settings,
  { logger, configByTargetHardware = {} }: ServerOptions,
  { store, secrets, artifacts }: OpenData,
  url: string,
): Promise<Gateway> {
  const customers = await createCustomers(settings, logger);
  const keys = await readFirmwareKeys(settings);
  return createGateway({
    store,
    secrets,
    logger,
    slowHash: createLibuvSlowHash({
      inFlight: settings.DG_LIMIT_HASHES_IN_FLIGHT,
      queued: settings.DG_LIMIT_HASHES_QUEUED,
    }),
    limits: toLimits(settings),
    basePaths: ["/api/v1", "/v1"],
    publicUrl: settings.PUBLIC_URL ?? url,
    firmware: { keys, artifacts },
    config: { byTargetHardware: configByTargetHardware },
    allowLegacyRegistration: settings.REGISTER_WITHOUT_CLAIM_CODE,
    ...(customers && { customers }),
    requireVerifiedEmail: settings.REQUIRE_VERIFIED_EMAIL,
    freshCodeAfterRelease: settings.FRESH_CODE_AFTER_RELEASE,
    ...(settings.ROTATE_SECRET_AFTER_SECONDS !== undefined && {
      rotateSecretAfterSeconds: settings.ROTATE_SECRET_AFTER_SECONDS,
    }),
    summaryMetrics: settings.SUMMARY_METRICS ?? [],
  });
}

function abandon(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/**
 * Starts the bundled server: Express over SQLite or Postgres.
 * @throws {StartError} when the address or the data folder can't be used.
 */
export async function startServer(
  settings: Settings,
  options: ServerOptions,
): Promise<RunningServer> {
  let open: (app: Express) => void = () => {};
  const opened = new Promise<Express>((resolve) => {
    open = resolve;
  });
  const server = createServer(timeouts, (request, response) => {
    limitBodyTime(request, response, bodyTimes);
    void opened.then((app) => {
      app(request, response);
    });
  });
  // Listening comes first: a second start on the same port must not touch the database, and
  // with PORT=0 the public URL is not known before. Early requests wait for the app.
  const url = await listen(server, settings);
  let data: OpenData | undefined;
  let gateway: Gateway;
  try {
    data = await openData(settings, options.logger);
    gateway = await buildGateway(settings, options, data, url);
  } catch (error) {
    abandon(server);
    await data?.store.close();
    throw error;
  }
  const { store } = data;
  const { logger } = options;
  open(createApp({ gateway, trustedProxies: settings.TRUSTED_PROXIES, logger }));
  const maintenance = startMaintenance(gateway, logger);
  return {
    url,
    async stop() {
      await Promise.all([closeGracefully(server, answerGraceMs), maintenance.stop()]);
      await store.close();
    },
  };
}
