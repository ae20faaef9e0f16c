import { exampleClaimCode } from "./claim-code.js";
import { indented } from "./indented.js";
import type { Palette } from "./palette.js";

export interface BannerOptions {
  /** The URL at which this machine reaches the server. */
  readonly url: string;
  /** The URL at which devices reach it, if different. */
  readonly publicUrl?: string | undefined;
  /** The base URL of the metrics. Undefined if there are none. */
  readonly metricsUrl?: string | undefined;
  /** The link that opens the demo in a browser on this machine. Undefined if the demo has no account. */
  readonly demoUrl?: string | undefined;
  readonly dataDir: string;
  /** Whether the database is in Postgres and not in the folder. */
  readonly postgres: boolean;
  /** Whether people can sign up. Without accounts, there is no page. */
  readonly accounts: boolean;
  readonly demo: boolean;
  readonly claimCodeMinLength: number;
  /** The id of a device to register by hand. It differs at each start, so that the device is new. */
  readonly deviceId: string;
}

const json = "-H content-type:application/json";

/** Returns three commands to paste into a shell one after another. The third needs the second. */
export function curlCommands({
  url,
  deviceId,
  claimCodeMinLength,
}: BannerOptions): readonly string[] {
  const claimCode = exampleClaimCode(claimCodeMinLength);
  return [
    `curl ${url}/readyz; echo`,
    [
      `ANSWER=$(curl -s ${url}/api/v1/device/register \\`,
      `  ${json} -d '{"deviceId":"${deviceId}",`,
      `  "hardwareId":"board","firmwareVersion":"1.0.0","claimCode":"${claimCode}"}')`,
      'echo "$ANSWER"',
      `TOKEN=$(echo "$ANSWER" | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')`,
    ].join("\n"),
    [
      `curl ${url}/api/v1/telemetry \\`,
      `  -H "Authorization: Bearer $TOKEN" ${json} \\`,
      `  -d '{"temperature":21.5,"battery":{"voltage":12.7}}'; echo`,
    ].join("\n"),
  ];
}

const captions = [
  "Check that the server is ready:",
  "Register a gateway with a claim code, and keep its token:",
  "Send a record with that token:",
];

/** Returns the lines that say how to open the page. */
function openLines(
  { url, publicUrl = url, demoUrl }: BannerOptions,
  { bold, dim, accent }: Palette,
): readonly string[] {
  return demoUrl === undefined
    ? [`  ${bold("Open")} ${accent(bold(publicUrl))} ${dim("in a browser: sign up, claim, watch")}`]
    : [
        `  ${bold("Open")} ${accent(bold(demoUrl))}`,
        `  ${dim("in a browser on this machine. One click there opens the demo.")}`,
        `  ${dim("The link works until the server stops.")}`,
      ];
}

/** Returns what a terminal shows once the server has started. */
export function banner(options: BannerOptions, palette: Palette): string {
  const { bold, dim, accent, good } = palette;
  const { url, publicUrl = url, metricsUrl, dataDir, postgres, accounts, demo } = options;
  const contents = postgres
    ? "secrets; without them, the database cannot be used"
    : "database and secrets; delete both to start over";
  const steps = curlCommands(options).map(
    (command, i) => `  ${bold(`${i + 1}. ${captions[i]}`)}\n${indented(accent(command))}`,
  );
  return [
    "",
    `  ${good("●")} ${bold("Device Gateway")}  ${accent(bold(url))}`,
    "",
    ...(publicUrl === url ? [] : [`  ${dim("Public")}   ${publicUrl}`]),
    `  ${dim("API")}      ${url}/api/v1/openapi.json`,
    ...(metricsUrl === undefined ? [] : [`  ${dim("Metrics")}  ${metricsUrl}/metrics`]),
    `  ${dim("Data")}     ${dataDir}`,
    `           ${dim(contents)}`,
    ...(demo
      ? [
          `  ${dim("Demo")}     a gateway that sends 79 days of a real machine's temperature,`,
          "           updates its firmware and then sends live readings. To start without",
          `           it: ${bold("DEMO=0 npm start")}`,
        ]
      : []),
    "",
    `  ${bold("Try it")} ${dim("in another terminal:")}`,
    "",
    steps.join("\n\n"),
    "",
    ...(accounts ? [...openLines(options, palette), ""] : []),
  ].join("\n");
}
