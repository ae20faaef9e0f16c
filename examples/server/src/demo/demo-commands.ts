import { renderUnicodeCompact } from "uqr";
import { demoDevice } from "./demo-context.js";
import { demoTokenFile } from "./demo-customer.js";

export interface DemoCommands {
  /** Says as whom, or with which token, the commands run. */
  readonly caller: string;
  /** The URL of the device's page for its owner. */
  readonly ownersPage: string;
  /** Returns the link that opens the claim page. A real gateway has it on its label. */
  claimLink(claimCode: string): string;
  /** Returns the claim link as a QR code. Empty without a public URL, because a phone could not open the link. */
  claimCodeToScan(claimCode: string): string;
  /** Returns two commands: one claims the demo gateway, the other shows it. */
  claim(claimCode: string): readonly string[];
  /** The command that opens a re-enrolment window. */
  readonly reEnrol: string;
}

export interface DemoCommandOptions {
  /** The URL at which this machine reaches the server. */
  readonly url: string;
  /** The URL at which other machines reach it. */
  readonly publicUrl?: string | undefined;
  readonly dataDir: string;
  /** Whether the demo has a customer. If not, the commands need a token of the configured issuer. */
  readonly customer: boolean;
}

/** Quotes a path for a shell. */
const quoted = (path: string) =>
  /^[\w./@%+:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Creates shell commands that run as the demo customer. They read the token from its file and do not show it. */
export function createDemoCommands({
  url,
  publicUrl,
  dataDir,
  customer,
}: DemoCommandOptions): DemoCommands {
  const { deviceId } = demoDevice;
  const token = customer ? `$(cat ${quoted(demoTokenFile(dataDir))})` : "$CUSTOMER_TOKEN";
  const authorization = `-H "Authorization: Bearer ${token}"`;
  const device = `${url}/api/v1/dashboard/devices/${deviceId}`;
  const claimLink = (code: string) =>
    `${publicUrl ?? url}/claim?${new URLSearchParams({ device: deviceId, code })}`;
  return {
    ownersPage: `${publicUrl ?? url}/devices/${deviceId}`,
    claimLink,
    claimCodeToScan: (code) =>
      publicUrl === undefined ? "" : renderUnicodeCompact(claimLink(code), { border: 1 }),
    caller: customer ? "as the demo customer" : "with a token of your issuer in CUSTOMER_TOKEN",
    claim: (claimCode) => [
      [
        `curl ${url}/api/v1/user/devices/claim \\`,
        `  ${authorization} \\`,
        "  -H content-type:application/json \\",
        `  -d '{"deviceId":"${deviceId}","claimCode":"${claimCode}"}'; echo`,
      ].join("\n"),
      [`curl ${device} \\`, `  ${authorization}; echo`].join("\n"),
    ],
    reEnrol: ["curl -X POST \\", `  ${device}/re-enrolment \\`, `  ${authorization}; echo`].join(
      "\n",
    ),
  };
}
