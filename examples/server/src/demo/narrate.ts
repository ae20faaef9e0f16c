import { indented } from "../indented.js";
import type { Terminal } from "../terminal.js";
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
 * Tells a person what the demo gateway does: on a terminal with a bar and a line that change in
 * place, elsewhere in plain lines, at each quarter of the way.
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
      event.duplicates > 0 ? `, ${count(event.duplicates)} were there already` : "",
      event.rejected > 0 ? `, ${count(event.rejected)} not accepted` : "",
    ];
    done(`${count(event.stored)} readings stored${others.join("")}`);
  };

  const showLive = (event: Extract<DemoEvent, { kind: "live" }>) => {
    const every = `every ${event.intervalSeconds} s`;
    if (!announced) done(`live: a reading ${every}`);
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
      print(`\n  ${bold("Its owner's page:")}\n  ${accent(commands.ownersPage)}`);
      print(`\n  ${bold(`See it as the dashboard does, ${commands.caller}:`)}\n${show}\n`);
      return;
    }
    print(`\n  ${bold("Claim it in a browser:")}\n  ${accent(commands.claimLink(claimCode))}`);
    const code = commands.claimCodeToScan(claimCode);
    if (code !== "") print(indented(code));
    print(
      `\n  ${bold(`Or claim it ${commands.caller}; its claim code is ${claimCode}:`)}\n${claim}`,
    );
    print(`\n  ${bold("Then see it as the dashboard does:")}\n${show}\n`);
  };

  const showLockedOut = (retrySeconds: number) => {
    status("");
    print(
      [
        `  ${bad("The demo gateway can't sign in.")} The server does not take its secret, nor its`,
        "  claim code alone: it has an owner, or was revoked. Its owner lets it register",
        `  again with this, ${commands.caller}:`,
        "",
        accent(indented(commands.reEnrol)),
        "",
        `  It tries again every ${retrySeconds} s. To start over instead, stop the server and`,
        "  delete its data folder; to go on without it: DEMO=0 npm start",
      ].join("\n"),
    );
  };

  return (event) => {
    switch (event.kind) {
      case "registered":
        return showSignedIn(`registered as ${demoDevice.deviceId}`, event);
      case "logged_in":
        return showSignedIn(
          `logged in as ${demoDevice.deviceId}, with the secret of an earlier run`,
          event,
        );
      case "locked_out":
        return showLockedOut(event.retrySeconds);
      case "configured":
        return done(`configuration read: a record every ${event.intervalSeconds} s`);
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
