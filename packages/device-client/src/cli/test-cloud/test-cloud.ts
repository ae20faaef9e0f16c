import { reasonOf } from "../../reason-of.js";
import { CliError, defineCommand, exitCodes } from "../command.js";
import { untilStopped } from "../until-stopped.js";

function toPort(option: string, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new CliError(`--${option}: "${text}" is not a port from 0 to 65535.`, exitCodes.usage);
}

/** Loads the test cloud, which is an optional package. */
async function loadTestCloud() {
  try {
    return await import("@device-gateway/testing/control");
  } catch (fault) {
    const reason = reasonOf(fault);
    throw new CliError(
      `The test cloud cannot be loaded. Install it with: npm install -D @device-gateway/testing\n${reason}`,
    );
  }
}

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: "Pass a free port with --port or --control-port.",
  EADDRNOTAVAIL: "Pass an address of this machine with --host or --control-host.",
};

function toStartError(fault: unknown): CliError {
  const { code = "" } = fault as NodeJS.ErrnoException;
  const sentence = `The test cloud cannot start: ${reasonOf(fault).replace(/\.$/, "")}.`;
  return new CliError([sentence, advice[code] ?? ""].join(" ").trim());
}

/** `device-gateway test-cloud`: runs a whole gateway for tests, with an API that plans its faults. */
export const testCloud = defineCommand({
  name: "test-cloud",
  summary: "Runs a whole gateway for tests of firmware, with an HTTP API that plans its faults.",
  operands: [],
  options: {
    host: {
      type: "string",
      value: "HOST",
      help: "Address for devices. For real hardware, this machine's address in its network.",
      default: "127.0.0.1",
    },
    port: {
      type: "string",
      value: "PORT",
      help: "Port for devices. 0: a free one.",
      default: "8080",
    },
    tls: { type: "boolean", help: "Serves HTTPS to devices, with an authority of its own." },
    "control-host": {
      type: "string",
      value: "HOST",
      help: "Address of the control API. Any but loopback needs a token.",
      default: "127.0.0.1",
    },
    "control-port": {
      type: "string",
      value: "PORT",
      help: "Port of the control API. 0: a free one.",
      default: "8081",
    },
    "control-token": {
      type: "string",
      value: "TOKEN",
      help: "Token that every request of the control API must carry.",
      variable: "DEVICE_GATEWAY_CONTROL_TOKEN",
    },
    "stop-with-input": {
      type: "boolean",
      help: "Stops when the standard input ends, so that it does not outlive the program that started it.",
    },
  },
  notes: [
    "It prints the two addresses, keeps everything in memory, and runs until it is interrupted.",
    "",
    "  device-gateway test-cloud",
    '  curl -X POST 127.0.0.1:8081/faults -d \'{"route": "sendTelemetry", "fault": {"kind": "lost_answer"}}\'',
    "  curl 127.0.0.1:8081/requests",
    "",
    "GET /openapi.json of the control API lists all operations and faults.",
  ].join("\n"),
  async run(context, { values }) {
    const { host, tls } = values;
    const token = values["control-token"];
    const port = toPort("port", values.port);
    const controlPort = toPort("control-port", values["control-port"]);
    const { startTestCloud } = await loadTestCloud();
    const controlHost = values["control-host"];
    const started = await startTestCloud({
      ...{ host, port, tls, controlHost, controlPort },
      ...(token !== undefined && { controlToken: token }),
    }).catch((fault: unknown) => {
      throw toStartError(fault);
    });
    context.print(`cloud ${started.url}`);
    context.print(`control ${started.controlUrl}`);
    await (context.untilStopped ?? untilStopped)({ withInput: values["stop-with-input"] });
    await started.close();
  },
});
