import type { Terminal } from "../terminal.js";
import { demoDevice } from "./demo-context.js";
import type { DemoEvent } from "./demo-event.js";

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
export function createNarrator(terminal: Terminal): (event: DemoEvent) => void {
  const { interactive, palette, print, status } = terminal;
  const done = (text: string) => print(`  ${palette.good(interactive ? "✓" : "-")} ${text}`);
  let quarter = -1;
  let announced = false;

  const showProgress = (sent: number, total: number) => {
    const percent = Math.floor((sent * 100) / total);
    const line = `${bar(sent / total)} ${String(percent).padStart(3)} %  ${count(sent)} of ${count(total)} readings`;
    status(`  ${palette.accent(line)}`);
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
    if (!announced) done(`live: the recording again from its beginning, a reading ${every}`);
    announced = true;
    const time = new Date(event.at).toTimeString().slice(0, 8);
    const reading = `${event.temperature.toFixed(1)} °F`;
    status(
      `  ${palette.accent("●")} ${time}  ${palette.bold(reading)}  ${palette.dim("Ctrl-C stops")}`,
    );
  };

  return (event) => {
    switch (event.kind) {
      case "registered":
        return done(`registered as ${demoDevice.deviceId}`);
      case "logged_in":
        return done(`logged in as ${demoDevice.deviceId}, with the secret of an earlier run`);
      case "configured":
        return done(`configuration read: a record every ${event.intervalSeconds} s`);
      case "replaying":
        return showProgress(event.sent, event.total);
      case "replayed":
        return showReplayed(event);
      case "live":
        return showLive(event);
      case "waiting": {
        const line = `waiting ${Math.ceil(event.seconds)} s: ${event.reason}`;
        return interactive ? status(`  ${palette.dim(line)}`) : print(`  - ${line}`);
      }
      case "failed":
        status("");
        return print(`  ${palette.bad("The demo gateway stopped.")} ${event.reason}`);
    }
  };
}
