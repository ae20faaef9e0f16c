import { describeReason } from "@device-gateway/device-client/update";
import type { Terminal } from "../terminal/terminal.js";
import type { DemoEvent } from "./demo-event.js";

type Updating = Extract<DemoEvent, { kind: "updating" | "restarting" }>;

/** Prints the progress of the demo gateway's update. */
export function narrateUpdate(
  { print, status, palette: { accent, bad, good }, interactive }: Terminal,
  event: Updating,
): void {
  const { version } = event;
  const done = (text: string) => {
    status("");
    print(`  ${good(interactive ? "✓" : "-")} ${text}`);
  };
  if (event.kind === "restarting") {
    status(`  ${accent(`restarting with ${version} …`)}`);
    return;
  }
  const { state, progress } = event;
  switch (state) {
    case "downloading":
      status(`  ${accent(`downloading firmware ${version}: ${progress ?? 0} %`)}`);
      break;
    case "verified":
      done(`firmware ${version} downloaded; signature and SHA-256 verified`);
      break;
    case "rebooting":
      done(`firmware ${version} installed, restarting`);
      break;
    case "succeeded":
      done(`firmware ${version} runs; reported to the server`);
      break;
    case "failed":
    case "rejected":
    case "rolled_back":
    case "cancelled": {
      status("");
      const reason = describeReason(event);
      const why = reason === undefined ? "" : `: ${reason}`;
      print(`  ${bad(`Firmware ${version} ${state.replace("_", " ")}`)}${why}`);
      break;
    }
    case "downloaded":
    case "installing":
      break;
  }
}
