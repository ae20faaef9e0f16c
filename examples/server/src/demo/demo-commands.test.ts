import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "../testing/customer.js";
import { runDemoAgainst } from "../testing/demo-harness.js";
import { isMissing } from "../testing/missing-program.js";
import { readDrawnCode } from "../testing/read-drawn-code.js";
import { makeTempFolder, startTestServer, type TestServer } from "../testing/start-test-server.js";
import { createDemoCommands } from "./demo-commands.js";

useCheapScrypt();

const run = promisify(execFile);
const lacksShell = isMissing("bash", "--version") || isMissing("curl", "--version");

/** Runs the commands in a shell as if they were pasted. Returns the JSON objects that they print. */
async function paste(commands: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env["PATH"], ...environment };
  const { stdout } = await run("bash", ["-c", commands.join("\n")], { env });
  return stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

async function runRegisteredDemo(server: TestServer): Promise<string> {
  const { events } = await runDemoAgainst(server, { recording: [] });
  const registered = events.find((event) => event.kind === "registered");
  return registered?.kind === "registered" ? registered.claimCode : "";
}

it.skipIf(lacksShell)(
  "prints commands that work when pasted, whatever the path of the data folder",
  async () => {
    const DATA_DIR = join(await makeTempFolder(), "the demo's data");
    const server = await startTestServer({ DEMO: true, DATA_DIR });
    const claimCode = await runRegisteredDemo(server);
    const options = { url: server.url, dataDir: DATA_DIR, customer: true };
    const { claim, reEnrol } = createDemoCommands(options);

    const responses = await paste([...claim(claimCode), reEnrol, ...claim(claimCode)]);
    expect(responses).toMatchObject([
      { deviceId: "demo-gateway", status: "claimed" },
      { device: { id: "demo-gateway", isOwner: true, status: "online" } },
      { deviceId: "demo-gateway", expiresAt: expect.any(String) },
      { deviceId: "demo-gateway", status: "already_owned" },
      { device: { id: "demo-gateway" } },
    ]);
  },
);

it.skipIf(lacksShell)(
  "reads the customer's token from CUSTOMER_TOKEN if the demo has no customer",
  async () => {
    const server = await startTestServer({ DEMO: true, ...customerSettings });
    const claimCode = await runRegisteredDemo(server);
    const options = { url: server.url, dataDir: server.settings.DATA_DIR, customer: false };
    const commands = createDemoCommands(options);
    expect(commands.caller).toContain("CUSTOMER_TOKEN");
    const CUSTOMER_TOKEN = await signCustomer("c-1");
    const [claimed] = await paste(commands.claim(claimCode), { CUSTOMER_TOKEN });
    expect(claimed).toMatchObject({ status: "claimed" });
    const { listDevices } = createCustomer(server.url, CUSTOMER_TOKEN);
    expect((await listDevices()).body).toMatchObject({ devices: [{ id: "demo-gateway" }] });
  },
);

it.each([{ dark: true }, { dark: false }])(
  "draws the claim link as a code that can be scanned from a terminal: %o",
  (terminal) => {
    const publicUrl = "https://gateway.example.com";
    const options = { url: "http://127.0.0.1:3000", publicUrl, dataDir: "data", customer: true };
    const { claimCodeToScan, claimLink } = createDemoCommands(options);
    expect(readDrawnCode(claimCodeToScan("ABCD-EFGH"), terminal)).toBe(claimLink("ABCD-EFGH"));
    expect(claimLink("ABCD-EFGH")).toMatch(/^https:.*device=demo-gateway&code=ABCD-EFGH$/);
  },
);
