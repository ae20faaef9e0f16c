import { createServer, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { createGateway, type Gateway, type JsonObject, type Logger } from "@device-gateway/core";
import {
  createLibuvSlowHash,
  guardConnections,
  nodeDigest,
  startMaintenance,
} from "@device-gateway/core/node";
import type { Express, RequestHandler } from "express";
import { type Accounts, openAccounts } from "./accounts/accounts.js";
import { createDemoAccess } from "./accounts/demo-access.js";
import { hasDemoAccount } from "./accounts/has-demo-account.js";
import { createOutbox } from "./accounts/outbox.js";
import type { SendMail } from "./accounts/send-mail.js";
import { prepareToClose } from "./close-gracefully.js";
import { createApp } from "./create-app.js";
import { createCustomers } from "./customers.js";
import { writeDemoToken } from "./demo/demo-customer.js";
import { readDemoLabel } from "./demo/demo-label.js";
import { demoLimits } from "./demo/demo-limits.js";
import { findTracer } from "./find-tracer.js";
import { readFirmwareKeys } from "./firmware-keys.js";
import { createEarlyHealth } from "./health/create-early-health.js";
import { limitBodyTime } from "./limit-body-time.js";
import { listen } from "./listen.js";
import { createMetrics } from "./metrics/create-metrics.js";
import { type MetricsServer, serveMetrics } from "./metrics/serve-metrics.js";
import { type OpenData, openData } from "./open-data.js";
import { findPageFolder } from "./page/page-folder.js";
import { servePage } from "./page/serve-page.js";
import { createSiteRoutes } from "./page/site-routes.js";
import { publicUrlOf, publicUrlWarning } from "./public-url.js";
import { refuseAmbiguousPath } from "./refuse-ambiguous-path.js";
import { refuseReusedSecret } from "./refuse-reused-secret.js";
import { toLimits } from "./settings/limit-variables.js";
import type { Settings } from "./settings/settings.js";

export interface ServerOptions {
  readonly logger: Logger;
  /** Configuration of kinds of devices, by target hardware (contract §5). */
  readonly configByTargetHardware?: Readonly<Record<string, JsonObject>>;
  /** Who delivers the accounts' mail. Default: nobody. */
  readonly sendMail?: SendMail;
  /** Where the built page lies. Default: in its package. */
  readonly pageFolder?: string;
}

export interface RunningServer {
  /** Where this machine reaches it. */
  readonly url: string;
  /** Where a browser at this machine opens the demo, with the token of this start; undefined without a demo account. */
  readonly demoUrl: string | undefined;
  /** Where its metrics are, if it has any. */
  readonly metricsUrl: string | undefined;
  readonly gateway: Gateway;
  /**
   * Says that it is not ready, drains, ends live streams, answers what is under way for up to 4 s, and
   * closes the database.
   */
  stop(): Promise<void>;
}

/** With what closing the database may take, it comes to less than 5 s. */
const graces = { idleMs: 250, answerMs: 4_000 };
const databaseGraceMs = 700;

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
  accounts: Accounts | undefined,
  url: string,
): Promise<Gateway> {
  const keys = await readFirmwareKeys(settings);
  const tracer = findTracer();
  const publicUrl = publicUrlOf(settings, url);
  return createGateway({
    store,
    secrets,
    logger,
    digest: nodeDigest,
    ...(tracer && { tracer }),
    slowHash: createLibuvSlowHash(),
    limits: { ...toLimits(settings), ...(settings.DEMO && demoLimits) },
    basePaths: ["/api/v1", "/v1"],
    ...(publicUrl !== undefined && { publicUrl }),
    firmware: { keys, artifacts },
    config: { byTargetHardware: configByTargetHardware },
    allowLegacyRegistration: settings.REGISTER_WITHOUT_CLAIM_CODE,
    ...createCustomers(settings, accounts?.authenticators, logger),
    requireVerifiedEmail: settings.REQUIRE_VERIFIED_EMAIL,
    freshCodeAfterRelease: settings.FRESH_CODE_AFTER_RELEASE,
    ...(settings.ROTATE_SECRET_AFTER_SECONDS !== undefined && {
      rotateSecretAfterSeconds: settings.ROTATE_SECRET_AFTER_SECONDS,
    }),
    summaryMetrics: settings.SUMMARY_METRICS ?? [],
  });
}

interface Site {
  readonly accounts: Accounts | undefined;
  readonly handlers: RequestHandler[];
  readonly demoUrl: string | undefined;
}

/** Accounts, what their page asks for, and the page; nothing without accounts. */
async function buildSite(
  settings: Settings,
  { logger, sendMail = async () => {}, pageFolder = findPageFolder() }: ServerOptions,
  { secrets }: OpenData,
  url: string,
): Promise<Site> {
  if (!settings.ACCOUNTS) return { accounts: undefined, handlers: [], demoUrl: undefined };
  const { DATA_DIR } = settings;
  const outbox = createOutbox(sendMail);
  const access = hasDemoAccount(settings) ? createDemoAccess() : undefined;
  const send = access ? outbox.send : sendMail;
  const { pepper } = secrets;
  const accounts = await openAccounts({
    ...{ settings, pepper, url, sendMail: send, demo: access, logger },
  });
  if (accounts.demoToken !== undefined) await writeDemoToken(DATA_DIR, accounts.demoToken);
  const demo = access && {
    access,
    mails: outbox.mails,
    readLabel: () => readDemoLabel(DATA_DIR),
  };
  const site = createSiteRoutes({
    url: settings.PUBLIC_URL ?? url,
    findAccount: accounts.findAccount,
    demo,
  });
  const handlers = [
    accounts.router,
    site,
    ...(pageFolder === undefined ? [] : [servePage(pageFolder)]),
  ];
  const demoUrl = access && `${url}/#demo=${access.token}`;
  return { accounts, handlers, demoUrl };
}

/** What hangs is left behind: nothing that was acknowledged depends on it. */
async function withinTime(ms: number, work: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const over = setTimeout(ms, undefined, { signal: ending.signal }).catch(() => {});
  await Promise.race([work(), over]).finally(() => ending.abort());
}

async function startMetrics(
  { METRICS_HOST: HOST, METRICS_PORT: PORT }: Settings,
  gateway: Gateway,
  logger: Logger,
): Promise<MetricsServer | undefined> {
  if (PORT === undefined) return undefined;
  return serveMetrics({ HOST, PORT }, createMetrics(gateway), logger);
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
  let app: Express | undefined;
  let open: (app: Express) => void = () => {};
  const opened = new Promise<Express>((resolve) => {
    open = resolve;
  });
  const earlyHealth = await createEarlyHealth();
  const listener = guardConnections((request, response) => {
    limitBodyTime(request, response, bodyTimes);
    if (refuseAmbiguousPath(request, response)) return;
    const early = app === undefined ? earlyHealth(request.url) : null;
    if (early !== null) early(request, response);
    else
      void opened.then((ready) => {
        ready(request, response);
      });
  });
  const server = createServer(timeouts, listener);
  const close = prepareToClose(server);
  // Listening comes first: a second start on the same port must not touch the database, and
  // with PORT=0 the public URL is not known before. Early requests wait for the app.
  const url = await listen(server, settings);
  let data: OpenData | undefined;
  let site: Site | undefined;
  let gateway: Gateway;
  let metrics: MetricsServer | undefined;
  try {
    data = await openData(settings, options.logger);
    refuseReusedSecret(settings, data.secrets);
    site = await buildSite(settings, options, data, url);
    gateway = await buildGateway(settings, options, data, site.accounts, url);
    metrics = await startMetrics(settings, gateway, options.logger);
  } catch (error) {
    abandon(server);
    await site?.accounts?.close();
    await data?.store.close();
    throw error;
  }
  const { store } = data;
  const { logger } = options;
  const { accounts, handlers, demoUrl } = site;
  const warning = publicUrlWarning(settings, url);
  if (warning !== undefined) logger.warn({}, warning);
  app = createApp({ gateway, trustedProxies: settings.TRUSTED_PROXIES, handlers, logger });
  open(app);
  const maintenance = startMaintenance(gateway, { logger });
  return {
    url,
    demoUrl,
    metricsUrl: metrics?.url,
    gateway,
    async stop() {
      gateway.retire();
      const { DRAIN_SECONDS } = settings;
      if (DRAIN_SECONDS > 0) await setTimeout(DRAIN_SECONDS * 1_000);
      gateway.endLiveStreams();
      await Promise.all([close(graces), maintenance.stop()]);
      metrics?.close();
      await withinTime(databaseGraceMs, async () => {
        await accounts?.close();
        await store.close();
      });
    },
  };
}
