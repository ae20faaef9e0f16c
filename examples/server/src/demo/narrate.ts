import { indented } from "../terminal/indented.js";
import type { Terminal } from "../terminal/terminal.js";
import type { DemoCommands } from "./demo-commands.js";
import { demoDevice } from "./demo-context.js";
import type { DemoEvent } from "./demo-event.js";
import { narrateUpdate } from "./narrate-update.js";

type SignedIn = Extract<DemoEvent, { kind: "registered" | "logged_in" }>;

const count = (value: number) => value.toLocaleString("en-US");
const barWidth = 30;

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}

/**
 * Creates a function that prints what the demo gateway does. On a terminal it shows a bar and a line that change in
 * place; elsewhere it prints plain lines, one at each quarter.
 */
export function createNarrator(
  terminal: Terminal,
  commands: DemoCommands,
): (event: DemoEvent) => void {
  const { interactive, palette, print, status } = terminal;
  const { bold, accent, bad } = palette;
  const done = (text: string) => print(`  ${palette.good(interactive ? "✓" : "-")} ${text}`);
  let quarter = -1;
  let announced = false;

  const showProgress = (sent: number, total: number) => {
    const percent = Math.floor((sent * 100) / total);
    const line = `${bar(sent / total)} ${String(percent).padStart(3)} %  ${count(sent)} of ${count(total)} readings`;
    status(`  ${accent(line)}`);
    if (interactive || Math.floor(percent / 25) === quarter) return;
    quarter = Math.floor(percent / 25);
    print(`  - ${quarter * 25} %: ${count(sent)} of ${count(total)} readings sent`);
  };

  const showReplayed = (event: Extract<DemoEvent, { kind: "replayed" }>) => {
    status("");
    const others = [
      event.duplicates > 0 ? `, ${count(event.duplicates)} duplicates` : "",
      event.rejected > 0 ? `, ${count(event.rejected)} rejected` : "",
    ];
    done(`${count(event.stored)} readings stored${others.join("")}`);
  };

  const showLive = (event: Extract<DemoEvent, { kind: "live" }>) => {
    const every = `every ${event.intervalSeconds} s`;
    if (!announced) done(`live: one reading ${every}`);
    announced = true;
    const time = new Date(event.at).toTimeString().slice(0, 8);
    const reading = `${event.temperature.toFixed(1)} °F`;
    status(`  ${accent("●")} ${time}  ${bold(reading)}  ${palette.dim("Ctrl-C stops")}`);
  };

  const showSignedIn = (how: string, { claimCode, owned }: SignedIn) => {
    const [claim = "", show = ""] = commands.claim(claimCode).map(indented).map(accent);
    status("");
    done(how);
    if (owned) {
      print(`\n  ${bold("The owner's page:")}\n  ${accent(commands.ownersPage)}`);
      print(`\n  ${bold(`Read its dashboard data ${commands.caller}:`)}\n${show}\n`);
      return;
    }
    print(`\n  ${bold("Claim it in a browser:")}\n  ${accent(commands.claimLink(claimCode))}`);
    const code = commands.claimCodeToScan(claimCode);
    if (code !== "") print(indented(code));
    print(
      `\n  ${bold(`Or claim it ${commands.caller}. Its claim code is ${claimCode}:`)}\n${claim}`,
    );
    print(`\n  ${bold("Then read its dashboard data:")}\n${show}\n`);
  };

  const showLockedOut = (retrySeconds: number) => {
    status("");
    print(
      [
        `  ${bad("The demo gateway cannot log in.")} The server accepts neither its secret nor its`,
        "  claim code alone, because it has an owner or was revoked. As its owner, let it",
        `  register again with this command, ${commands.caller}:`,
        "",
        accent(indented(commands.reEnrol)),
        "",
        `  It tries again every ${retrySeconds} s. To start over instead, stop the server and`,
        "  delete its data folder, and with Postgres also its database.",
        "  To run without the demo: DEMO=0 npm start",
      ].join("\n"),
    );
  };

  return (event) => {
    switch (event.kind) {
      case "registered":
        return showSignedIn(`registered as ${demoDevice.deviceId}`, event);
      case "logged_in":
        return showSignedIn(
          `logged in as ${demoDevice.deviceId} with the secret of an earlier run`,
          event,
        );
      case "locked_out":
        return showLockedOut(event.retrySeconds);
      case "configured":
        return done(`configuration received: one record every ${event.intervalSeconds} s`);
      case "replaying":
        return showProgress(event.sent, event.total);
      case "replayed":
        return showReplayed(event);
      case "live":
        return showLive(event);
      case "updating":
      case "restarting":
        return narrateUpdate(terminal, event);
      case "waiting": {
        const line = `waiting ${Math.ceil(event.seconds)} s: ${event.reason}`;
        return interactive ? status(`  ${palette.dim(line)}`) : print(`  - ${line}`);
      }
      case "failed":
        status("");
        return print(`  ${bad("The demo gateway stopped.")} ${event.reason}`);
    }
  };
}
