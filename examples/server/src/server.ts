import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { RunningAlerts } from "@device-gateway/alerts";
import { type Gateway, WrongSecretsError } from "@device-gateway/core";
import { guardServer, startMaintenance, toNodeListener } from "@device-gateway/core/node";
import type { TelemetrySink } from "@device-gateway/telemetry-sink";
import { startWebhooks, type Webhooks } from "@device-gateway/webhooks";
import { startServerAlerts } from "./alerts/start-server-alerts.js";
import { createUnsubscribeRoute } from "./alerts/unsubscribe-route.js";
import { createUnsubscribeTokens } from "./alerts/unsubscribe-tokens.js";
import { buildGateway } from "./build-gateway.js";
import { buildSite, type Site } from "./build-site.js";
import { explainWrongSecrets, openData } from "./data/open-data.js";
import { refuseReusedSecret } from "./data/refuse-reused-secret.js";
import { readCommandsFile } from "./device-commands/read-commands-file.js";
import { createEarlyHealth } from "./health/create-early-health.js";
import { prepareToClose } from "./http/close-gracefully.js";
import { createApp } from "./http/create-app.js";
import { bodyTimeLimits, limitBodyTime } from "./http/limit-body-time.js";
import { listen } from "./http/listen.js";
import { paceRequests } from "./http/pace-requests.js";
import { publicUrlOf, publicUrlWarning } from "./http/public-url.js";
import { refuseAmbiguousPath } from "./http/refuse-ambiguous-path.js";
import { createSecurityTxt } from "./http/security-txt.js";
import type { MetricsServer } from "./metrics/serve-metrics.js";
import { startMetrics } from "./metrics/start-metrics.js";
import { createFirstContactRoute } from "./page/first-contact.js";
import type { ServerData, ServerOptions } from "./server-options.js";
import type { Settings } from "./settings/settings.js";
import { startSink } from "./start-sink.js";
import { withinTime } from "./within-time.js";

export interface RunningServer {
  /** The URL at which this machine reaches the server. */
  readonly url: string;
  /** The link that opens the demo, with the token of this start. Undefined if the demo has no account. */
  readonly demoUrl: string | undefined;
  /** The URL of the metrics, if METRICS_PORT is set. */
  readonly metricsUrl: string | undefined;
  readonly gateway: Gateway;
  /**
   * Reports that it is not ready, drains, ends live streams, answers pending requests, sends their mails and ends work in the
   * background for up to 4 s, and closes the database.
   */
  stop(): Promise<void>;
}

/** Together less than 5 s. */
const [defaultStopMs, databaseCloseMs] = [4_000, 700];
/** How long a stop keeps a connection without a request, in milliseconds. */
const idleMs = 250;

/** Time-outs against slow clients. §9 leaves them to the owner of the HTTP listener. */
const timeouts = {
  headersTimeout: 15_000,
  // `limitBodyTime` ends slow bodies sooner. An image upload may take as long as it makes progress.
  requestTimeout: 24 * 3_600_000,
  // Longer than the 60 s of common load balancers, so that they never write to a closing socket.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

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
  const server = createServer(timeouts, (request, response) => {
    limitBodyTime(request, response, bodyTimeLimits);
    if (refuseAmbiguousPath(request, response)) return;
    const listener = serve ?? earlyHealth(request.url);
    if (listener !== null) listener(request, response);
    else void opened.then((ready) => ready(request, response));
  });
  guardServer(server, { trustedProxies });
  const close = prepareToClose(server);
  // Listening comes first: a second start on the same port must not touch the database, and with PORT=0 the URL is not
  // known before. Requests that arrive early wait for the gateway.
  const url = await listen(server, settings, { logger: options.logger });
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
    site.accounts?.connect(gateway, data.store);
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
  const { logger, stopMs = defaultStopMs } = options;
  const { accounts, handlers, track, settleMails, demoUrl } = site;
  const publicUrl = publicUrlOf(settings, url);
  const warning = publicUrlWarning(settings, url);
  if (warning !== undefined) logger.warn({}, warning);
  const app = createApp({
    ...{ trustedProxies, logger, accounts: accounts !== undefined },
    handlers: [
      ...createSecurityTxt(settings),
      createUnsubscribeRoute(gateway, createUnsubscribeTokens(secrets.pepper)),
      ...(accounts
        ? [
            createFirstContactRoute(gateway, accounts.findAccount, {
              ...{ publicUrl, track, requireVerifiedEmail: settings.REQUIRE_VERIFIED_EMAIL },
            }),
          ]
        : []),
      ...handlers,
    ],
  });
  const otherwise = paceRequests(app, trustedProxies);
  serve = toNodeListener(gateway, { trustedProxies, otherwise });
  provide(serve);
  const maintain = async (signal?: AbortSignal) => {
    const report = await gateway.maintain(signal);
    await accounts?.removeExpired(signal);
    return report;
  };
  const maintenance = startMaintenance({ maintain }, { logger });
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
      const closed = close({ idleMs, responseMs: stopMs });
      await Promise.all([
        closed,
        withinTime(stopMs, async () => {
          await Promise.all([maintenance.stop(), sink?.stop(), webhooks?.stop(), alerts?.stop()]);
          // The last responses may have begun mails.
          await closed.then(settleMails);
        }),
      ]);
      metrics?.close();
      await withinTime(databaseCloseMs, async () => {
        await accounts?.close();
        await store.close();
      });
    },
  };
}
