import { randomBytes } from "node:crypto";
import { createPrintedMail } from "./accounts/mail/printed-mail.js";
import { createSmtpMail } from "./accounts/mail/smtp-mail.js";
import { demoConfig, demoDevice } from "./demo/demo-context.js";
import { prepareDemoKey } from "./demo/firmware/demo-key.js";
import { publishDemoFirmware } from "./demo/firmware/publish-demo-firmware.js";
import { type RunningDemo, startDemo } from "./demo/start-demo.js";
import { letHeapGrow } from "./heap-growth.js";
import { createLogger } from "./log/logger.js";
import { backUp } from "./operations/back-up.js";
import { cells } from "./operations/cells.js";
import { findAccount } from "./operations/find-account.js";
import { rebuildRollUps } from "./operations/rebuild-roll-ups.js";
import { resetFactor } from "./operations/reset-factor.js";
import { signEverybodyOut } from "./operations/sign-everybody-out.js";
import { webhooks } from "./operations/webhooks.js";
import { startServer } from "./server.js";
import { settingsOrExit } from "./settings/settings-or-exit.js";
import { StartError } from "./start-error.js";
import { stopOnSignals } from "./stop-on-signals.js";
import { banner } from "./terminal/banner.js";
import { help } from "./terminal/help.js";
import { readCommand } from "./terminal/read-command.js";
import { createTerminal } from "./terminal/terminal.js";

letHeapGrow();
const terminal = createTerminal(process.stdout, process.stderr, process.env);
// The reader of the output may end before the server, as `| head` does. The server keeps running.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// The server writes measurements and secrets, so only this user may read its files.
process.umask(0o077);

const commands = {
  "back-up": backUp,
  cells,
  "find-account": findAccount,
  "rebuild-roll-ups": rebuildRollUps,
  "reset-factor": resetFactor,
  "sign-everybody-out": signEverybodyOut,
  webhooks,
};
const parsedCommand = readCommand(process.argv.slice(2), commands);
if (parsedCommand.kind === "help") {
  terminal.print(help);
  process.exit(0);
}
if (parsedCommand.kind === "unknown") {
  terminal.writeLog(`${parsedCommand.sentence}\n`);
  process.exit(2);
}

const settings = settingsOrExit({
  environment: process.env,
  arguments: process.argv.slice(2),
  folder: process.cwd(),
  write: (line) => terminal.writeLog(`${line}\n`),
  exit: (code) => process.exit(code),
});
const logger = createLogger({
  level: settings.LOG_LEVEL,
  readable: terminal.log.interactive,
  coloured: terminal.log.coloured,
  write: terminal.writeLog,
});

process.on("uncaughtException", (error) => {
  const isServer = parsedCommand.kind !== "run";
  if (error instanceof StartError)
    terminal.writeLog(`${isServer ? "The server did not start. " : ""}${error.message}\n`);
  else logger.fatal({ err: error }, "The server stopped because of an unexpected error");
  process.exit(1);
});

if (parsedCommand.kind === "run") {
  process.exit(
    await parsedCommand.command(settings, parsedCommand.rest, (line) => terminal.print(line)),
  );
}

// If the folder is unusable, startServer reports it with what to do.
const demoKey = settings.DEMO ? await prepareDemoKey(settings).catch(() => null) : null;
const { url, demoUrl, metricsUrl, gateway, stop } = await startServer(settings, {
  logger,
  sendMail:
    settings.SMTP_URL === undefined
      ? createPrintedMail(terminal)
      : createSmtpMail(settings.SMTP_URL, settings.MAIL_FROM),
  ...(settings.DEMO && { configByTargetHardware: { [demoDevice.targetHardware]: demoConfig } }),
});
const dataPlace = settings.DATABASE_URL === undefined ? settings.DATA_DIR : "the database";

async function startDemoWithFirmware(): Promise<RunningDemo> {
  const refusal = demoKey && (await publishDemoFirmware(gateway, demoKey));
  if (refusal !== null)
    logger.warn({ code: refusal }, "The demo's firmware could not be published");
  return startDemo(settings, { url, key: demoKey }, terminal);
}

const demo = settings.DEMO ? startDemoWithFirmware() : undefined;
// This comes before the banner, because a signal must stop the server gracefully as soon as somebody knows that it is ready.
stopOnSignals({
  source: process,
  now: () => performance.now(),
  exit: (code) => process.exit(code),
  async stop() {
    const running = await demo;
    await Promise.all([running?.stop(), stop()]);
    terminal.status("");
    if (terminal.interactive) terminal.print(`  Stopped. The data is in ${dataPlace}.`);
    else logger.info({}, "The server has stopped");
  },
});

const addresses = { url, metricsUrl, publicUrl: settings.PUBLIC_URL, dataDir: settings.DATA_DIR };
terminal.print(
  banner(
    {
      ...addresses,
      demoUrl,
      postgres: settings.DATABASE_URL !== undefined,
      accounts: settings.ACCOUNTS,
      demo: settings.DEMO,
      claimCodeMinLength: settings.DG_CLAIM_CODE_MIN_LENGTH,
      deviceId: `my-gateway-${randomBytes(2).toString("hex")}`,
    },
    terminal.palette,
  ),
);
// On a terminal, the banner has already shown this.
if (!terminal.interactive) logger.info(addresses, "The server is ready");
