import type { CliContext } from "./command.js";

const barWidth = 30;
const megabyte = 1_000_000;

const inMegabytes = (bytes: number) => `${(bytes / megabyte).toFixed(1)} MB`;

/** Shows how far a transfer is: a bar on a terminal, else a line at each quarter. */
export function createProgress(
  { show, tell }: Pick<CliContext, "show" | "tell">,
  { what, of }: { readonly what: string; readonly of: number },
): (bytes: number) => void {
  let quarter = 0;
  return (bytes) => {
    const share = Math.min(1, bytes / of);
    const percent = Math.floor(share * 100);
    const amount = `${inMegabytes(bytes)} of ${inMegabytes(of)}`;
    if (show !== null) {
      const full = Math.round(share * barWidth);
      const bar = "█".repeat(full) + "░".repeat(barWidth - full);
      return show(`${what} ${bar} ${String(percent).padStart(3)} %  ${amount}`);
    }
    const part = Math.floor(share * 4);
    if (part > quarter) tell(`${what} ${percent} %, ${amount}`);
    quarter = part;
  };
}
