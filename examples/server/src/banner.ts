import { exampleClaimCode } from "./claim-code.js";
import { indented } from "./indented.js";
import type { Palette } from "./palette.js";

export interface BannerFacts {
  /** Where this machine reaches the server. */
  readonly url: string;
  /** Where devices do, if that is elsewhere. */
  readonly publicUrl?: string | undefined;
  /** Where a browser at this machine opens the demo, if it has an account. */
  readonly demoUrl?: string | undefined;
  readonly dataDir: string;
  readonly demo: boolean;
  readonly claimCodeMinLength: number;
  /** A device to register by hand: another at each start, so that it is new. */
  readonly deviceId: string;
}

const json = "-H content-type:application/json";

/** Three commands to paste into a shell, one after another; the third needs the second. */
export function curlCommands({
  url,
  deviceId,
  claimCodeMinLength,
}: BannerFacts): readonly string[] {
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
  "Is it ready?",
  "Register a gateway of your own, with its claim code, and keep its token:",
  "Send a record with that token:",
];

/** What a person sees when the server has started. */
export function banner(facts: BannerFacts, { bold, dim, accent, good }: Palette): string {
  const { url, publicUrl = url, demoUrl, dataDir, demo } = facts;
  const steps = curlCommands(facts).map(
    (command, i) => `  ${bold(`${i + 1}. ${captions[i]}`)}\n${indented(accent(command))}`,
  );
  return [
    "",
    `  ${good("●")} ${bold("Device Gateway")}  ${accent(bold(url))}`,
    "",
    ...(publicUrl === url ? [] : [`  ${dim("Public")}   ${publicUrl}`]),
    `  ${dim("API")}      ${url}/api/v1/openapi.json`,
    `  ${dim("Data")}     ${dataDir}`,
    `           ${dim("database and secrets; delete both to start over")}`,
    ...(demo
      ? [
          `  ${dim("Demo")}     a gateway that sends 79 days of a real machine's temperature,`,
          `           updates its firmware, and goes on live; ${bold("DEMO=0 npm start")} leaves`,
          "           it out",
        ]
      : []),
    "",
    `  ${bold("Try it")} ${dim("in another terminal:")}`,
    "",
    steps.join("\n\n"),
    "",
    ...(demoUrl === undefined
      ? [
          `  ${bold("Open")} ${accent(bold(publicUrl))} ${dim("in a browser: sign up, claim, watch")}`,
        ]
      : [
          `  ${bold("Open")} ${accent(bold(demoUrl))}`,
          `  ${dim("in a browser at this machine: one click there opens the demo.")}`,
          `  ${dim("The link works until the server stops.")}`,
        ]),
    "",
  ].join("\n");
}
