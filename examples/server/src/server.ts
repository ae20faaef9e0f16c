import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { RunningAlerts } from "@device-gateway/alerts";
import {
  createGateway,
  type Gateway,
  type JsonObject,
  type Logger,
  WrongSecretsError,
} from "@device-gateway/core";
import {
  guardConnections,
  onNode,
  startMaintenance,
  toNodeListener,
} from "@device-gateway/core/node";
import type { TelemetrySink } from "@device-gateway/telemetry-sink";
import { createWebhookManager, startWebhooks, type Webhooks } from "@device-gateway/webhooks";
import type { RequestHandler } from "express";
import { type Accounts, openAccounts } from "./accounts/accounts.js";
import { createDemoAccess } from "./accounts/demo/demo-access.js";
import { hasDemoAccount } from "./accounts/demo/has-demo-account.js";
import { createOutbox } from "./accounts/mail/outbox.js";
import type { SendMail } from "./accounts/mail/send-mail.js";
import { paceAccounts } from "./accounts/pace-accounts.js";
import { startServerAlerts } from "./alerts/start-server-alerts.js";
import { createUnsubscribeRoute } from "./alerts/unsubscribe-route.js";
import { createUnsubscribeTokens } from "./alerts/unsubscribe-tokens.js";
import { createCustomers } from "./customers.js";
import { readFirmwareKeys } from "./data/firmware-keys.js";
import { explainWrongSecrets, type OpenData, openData } from "./data/open-data.js";
import { refuseReusedSecret } from "./data/refuse-reused-secret.js";
import { writeDemoToken } from "./demo/demo-customer.js";
import { readDemoLabel } from "./demo/demo-label.js";
import { demoLimits } from "./demo/demo-limits.js";
import { type DeclaredCommands, readCommandsFile } from "./device-commands/read-commands-file.js";
import { createEarlyHealth } from "./health/create-early-health.js";
import { prepareToClose } from "./http/close-gracefully.js";
import { createApp } from "./http/create-app.js";
import { limitBodyTime } from "./http/limit-body-time.js";
import { listen } from "./http/listen.js";
import { publicUrlOf, publicUrlWarning } from "./http/public-url.js";
import { refuseAmbiguousPath } from "./http/refuse-ambiguous-path.js";
import { createSecurityTxt } from "./http/security-txt.js";
import { findTracer } from "./log/find-tracer.js";
import type { MetricsServer } from "./metrics/serve-metrics.js";
import { startMetrics } from "./metrics/start-metrics.js";
import { createFirstContactRoute } from "./page/first-contact.js";
import { findPageFolder } from "./page/page-folder.js";
import { servePage } from "./page/serve-page.js";
import { createSiteRoutes } from "./page/site-routes.js";
import { toLimits } from "./settings/limit-variables.js";
import type { Settings } from "./settings/settings.js";
import { startSink } from "./start-sink.js";
import { withinTime } from "./within-time.js";

export interface ServerOptions {
  readonly logger: Logger;
  /** Device configuration by target hardware (§5). */
  readonly configByTargetHardware?: Readonly<Record<string, JsonObject>>;
  /** Delivers the accounts' mail. Default: mails are dropped. */
  readonly sendMail?: SendMail;
  /** The folder of the built page. Default: the folder in its package. */
  readonly pageFolder?: string;
}

export interface RunningServer {
  /** The URL at which this machine reaches the server. */
  readonly url: string;
  /** The link that opens the demo, with the token of this start. Undefined if the demo has no account. */
  readonly demoUrl: string | undefined;
  /** The URL of the metrics, if METRICS_PORT is set. */
  readonly metricsUrl: string | undefined;
  readonly gateway: Gateway;
  /**
   * Reports that it is not ready, drains, ends live streams, answers pending requests for up to 4 s, and closes the
   * database.
   */
  stop(): Promise<void>;
}

/** `responseMs` and `databaseCloseMs` together are less than 5 s. */
const gracePeriods = { idleMs: 250, responseMs: 4_000 };
const databaseCloseMs = 700;

/** Time-outs against slow clients. §9 leaves them to the owner of the HTTP listener. */
const timeouts = {
  headersTimeout: 15_000,
  // `limitBodyTime` ends slow bodies sooner. An image upload may take as long as it makes progress.
  requestTimeout: 24 * 3_600_000,
  // Longer than the 60 s of common load balancers, so that they never write to a closing socket.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

const bodyTimeLimits = { bodyMs: 60_000, afterResponseMs: 5_000 };

type ServerData = OpenData & { readonly declared: DeclaredCommands };

async function buildGateway(
  settings: Settings,
  { logger, configByTargetHardware = {} }: ServerOptions,
  { store, secrets, artifacts, declared }: ServerData,
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
    ...onNode,
    ...(tracer && { tracer }),
    limits: { ...toLimits(settings), ...(settings.DEMO && demoLimits) },
    basePaths: ["/api/v1", "/v1"],
    ...(publicUrl !== undefined && { publicUrl }),
    firmware: { keys, artifacts },
    commands: declared.commands,
    config: { byTargetHardware: configByTargetHardware },
    allowLegacyRegistration: settings.REGISTER_WITHOUT_CLAIM_CODE,
    ...createCustomers(settings, accounts?.authenticators, logger),
    requireVerifiedEmail: settings.REQUIRE_VERIFIED_EMAIL,
    freshCodeAfterRelease: settings.FRESH_CODE_AFTER_RELEASE,
    randomClaimCodes: settings.RANDOM_CLAIM_CODES,
    productionAddresses: settings.PRODUCTION_ADDRESSES ?? [],
    ...(settings.ROTATE_SECRET_AFTER_SECONDS !== undefined && {
      rotateSecretAfterSeconds: settings.ROTATE_SECRET_AFTER_SECONDS,
    }),
    summaryMetrics: settings.SUMMARY_METRICS ?? [],
    ...(settings.WEBHOOKS && {
      webhooks: createWebhookManager(store, {
        ...{ secrets, allowIntranet: settings.WEBHOOKS_INTRANET },
        forOwners: settings.WEBHOOKS_OF_OWNERS,
      }),
    }),
  });
}

interface Site {
  readonly accounts: Accounts | undefined;
  readonly handlers: RequestHandler[];
  readonly sendMail: SendMail;
  readonly demoUrl: string | undefined;
}

/** Builds the accounts, the page's routes and the page. Without accounts, builds none of them. */
async function buildSite(
  settings: Settings,
  { logger, sendMail = async () => {}, pageFolder = findPageFolder() }: ServerOptions,
  { secrets, declared }: ServerData,
  url: string,
): Promise<Site> {
  if (!settings.ACCOUNTS)
    return { accounts: undefined, handlers: [], sendMail, demoUrl: undefined };
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
    findPeople: accounts.findPeople,
    commands: declared.forms,
    webhooksOfOwners: settings.WEBHOOKS && settings.WEBHOOKS_OF_OWNERS,
    demo,
  });
  const handlers = [
    accounts.router,
    site,
    ...(pageFolder === undefined ? [] : [servePage(pageFolder)]),
  ];
  const demoUrl = access && `${url}/#demo=${access.token}`;
  return { accounts, handlers, sendMail: send, demoUrl };
}

function closeAtOnce(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/**
 * Starts the bundled server over SQLite or Postgres. Express serves what the gateway does not: inside Express, a record
 * takes twice as long.
 * @throws {StartError} if the address, the data folder, the database or the secrets cannot be used.
 */
export async function startServer(
  settings: Settings,
  options: ServerOptions,
): Promise<RunningServer> {
  let serve: RequestListener | undefined;
  let provide: (listener: RequestListener) => void = () => {};
  const opened = new Promise<RequestListener>((resolve) => {
    provide = resolve;
  });
  const { TRUSTED_PROXIES: trustedProxies } = settings;
  const earlyHealth = await createEarlyHealth();
  const listener = guardConnections(
    (request, response) => {
      limitBodyTime(request, response, bodyTimeLimits);
      if (refuseAmbiguousPath(request, response)) return;
      const listener = serve ?? earlyHealth(request.url);
      if (listener !== null) listener(request, response);
      else void opened.then((ready) => ready(request, response));
    },
    { trustedProxies },
  );
  const server = createServer(timeouts, listener);
  const close = prepareToClose(server);
  // Listening comes first: a second start on the same port must not touch the database, and with PORT=0 the URL is not
  // known before. Requests that arrive early wait for the gateway.
  const url = await listen(server, settings);
  let data: ServerData | undefined;
  let site: Site | undefined;
  let gateway: Gateway;
  let sink: TelemetrySink | undefined;
  let alerts: RunningAlerts | undefined;
  let webhooks: Webhooks | undefined;
  let metrics: MetricsServer | undefined;
  try {
    const declared = await readCommandsFile(settings.COMMANDS_FILE);
    data = { ...(await openData(settings, options.logger)), declared };
    refuseReusedSecret(settings, data.secrets);
    site = await buildSite(settings, options, data, url);
    gateway = await buildGateway(settings, options, data, site.accounts, url).catch((error) => {
      throw error instanceof WrongSecretsError ? explainWrongSecrets(settings, error) : error;
    });
    site.accounts?.connect(gateway);
    sink = startSink(settings, data.store, gateway, options.logger);
    const sources = {
      ...(sink && { sink: sink.readLevels }),
      ...(settings.WEBHOOKS && { webhooks: () => webhooks?.readLevels() }),
      ...(settings.ALERTS && { alerts: () => alerts?.readLevels() }),
    };
    metrics = await startMetrics(settings, gateway, sources, options.logger);
    alerts = startServerAlerts({
      ...{ settings, store: data.store, gateway, logger: options.logger },
      ...{ pepper: data.secrets.pepper, url: settings.PUBLIC_URL ?? url },
      ...{ accounts: site.accounts, sendMail: site.sendMail },
    });
  } catch (error) {
    closeAtOnce(server);
    await sink?.stop();
    await site?.accounts?.close();
    await data?.store.close();
    throw error;
  }
  const { store, secrets } = data;
  const { logger } = options;
  const { accounts, handlers, demoUrl } = site;
  const warning = publicUrlWarning(settings, url);
  if (warning !== undefined) logger.warn({}, warning);
  const app = createApp({
    ...{ trustedProxies, logger },
    handlers: [
      ...createSecurityTxt(settings),
      createUnsubscribeRoute(gateway, createUnsubscribeTokens(secrets.pepper)),
      ...(accounts ? [createFirstContactRoute(gateway, accounts.findAccount)] : []),
      ...handlers,
    ],
  });
  const otherwise = paceAccounts(app, trustedProxies);
  serve = toNodeListener(gateway, { trustedProxies, otherwise });
  provide(serve);
  const maintenance = startMaintenance(gateway, { logger });
  webhooks = settings.WEBHOOKS
    ? startWebhooks(store, {
        ...{ secrets: data.secrets, logger },
        allowIntranet: settings.WEBHOOKS_INTRANET,
        forOwners: settings.WEBHOOKS_OF_OWNERS,
      })
    : undefined;
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
      await Promise.all([
        close(gracePeriods),
        maintenance.stop(),
        sink?.stop(),
        webhooks?.stop(),
        alerts?.stop(),
      ]);
      metrics?.close();
      await withinTime(databaseCloseMs, async () => {
        await accounts?.close();
        await store.close();
      });
    },
  };
}
