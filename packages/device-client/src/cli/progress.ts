import type { CliContext } from "./command.js";

const barWidth = 30;
const megabyte = 1_000_000;

/** Formats an amount in the unit that suits the total. */
const amountOf = (bytes: number, whole: number) =>
  whole < megabyte ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / megabyte).toFixed(1)} MB`;

/** Creates a progress display: a bar on a terminal, otherwise a line at each quarter. */
export function createProgress(
  { show, log }: Pick<CliContext, "show" | "log">,
  { what, of }: { readonly what: string; readonly of: number },
): (bytes: number) => void {
  let quarter = 0;
  return (bytes) => {
    const share = Math.min(1, bytes / of);
    const percent = Math.floor(share * 100);
    const amount = `${amountOf(bytes, of)} of ${amountOf(of, of)}`;
    if (show !== null) {
      const full = Math.round(share * barWidth);
      const bar = "█".repeat(full) + "░".repeat(barWidth - full);
      return show(`${what} ${bar} ${String(percent).padStart(3)} %  ${amount}`);
    }
    const part = Math.floor(share * 4);
    if (part > quarter) log(`${what} ${percent} %, ${amount}`);
    quarter = part;
  };
}
