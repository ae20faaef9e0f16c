import { renderUnicodeCompact } from "uqr";
import { demoDevice } from "./demo-context.js";
import { demoTokenFile } from "./demo-customer.js";

export interface DemoCommands {
  /** As whom, or with what, they work. */
  readonly caller: string;
  /** Where its owner sees it. */
  readonly ownersPage: string;
  /** Where the page claims it: what stands on a real gateway's label. */
  claimLink(claimCode: string): string;
  /** The link as a code to scan; empty where a phone could not follow it. */
  claimCodeToScan(claimCode: string): string;
  /** Claims the demo gateway for a customer, and shows it to them. */
  claim(claimCode: string): readonly string[];
  /** Lets it register again, once, with its claim code. */
  readonly reEnrol: string;
}

export interface DemoCommandFacts {
  /** Where this machine reaches the server. */
  readonly url: string;
  /** Where others do. */
  readonly publicUrl?: string | undefined;
  readonly dataDir: string;
  /** Whether the demo has a customer; if not, a token of the real issuer is asked for. */
  readonly customer: boolean;
}

/** A path as a shell takes it. */
const quoted = (path: string) =>
  /^[\w./@%+:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Commands for a shell, as the demo's customer, whose token stays in its file. */
export function createDemoCommands({
  url,
  publicUrl,
  dataDir,
  customer,
}: DemoCommandFacts): DemoCommands {
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
    caller: customer ? "as the demo's customer" : "with a token of your issuer in CUSTOMER_TOKEN",
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
