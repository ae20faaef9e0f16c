import { createPalette, type Palette, showsColour } from "./palette.js";
import { toSafeLines } from "./unsafe-text.js";

export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * What people read (stdout) and what is logged (stderr), so that neither tears the other. Neither passes control
 * characters on: text from outside can't steer the terminal.
 */
export interface Terminal {
  /** Whether a person watches: then a status line may change in place. */
  readonly interactive: boolean;
  readonly palette: Palette;
  /** Whether the log goes to a terminal, and if so whether in colour. */
  readonly log: { readonly interactive: boolean; readonly coloured: boolean };
  print(text: string): void;
  /** Shows one line below everything else until the next status; without a person, nothing. */
  status(line: string): void;
  writeLog(text: string): void;
}

/** What palettes write: text that conceals itself or moves the cursor is not among it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a colour.
const colourCode = /(\u001b\[(?:[012]|22|3[1-79]|4[19]|9[0-7])m)/;

/** Text with newlines and, where it is coloured, colours; other control characters become visible. */
function toShown(text: string, coloured: boolean): string {
  if (!coloured) return toSafeLines(text);
  const parts = text.split(colourCode);
  // Every second part is a code.
  return parts.map((part, i) => (i % 2 === 1 ? part : toSafeLines(part))).join("");
}

const eraseLine = "\r\u001b[2K";

export function createTerminal(
  out: OutputStream,
  err: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const interactive = out.isTTY === true && environment["TERM"] !== "dumb";
  const colouredOut = showsColour(out, environment);
  const colouredLog = showsColour(err, environment);
  let shown = "";

  // Both streams may be the same terminal, so the status line makes way for either.
  const writeAbove = (stream: OutputStream, text: string) => {
    if (shown !== "" && stream.isTTY) out.write(eraseLine);
    stream.write(text);
    if (shown !== "" && stream.isTTY) out.write(shown);
  };

  return {
    interactive,
    palette: createPalette(colouredOut),
    log: { interactive: err.isTTY === true, coloured: colouredLog },
    print: (text) => writeAbove(out, `${toShown(text, colouredOut)}\n`),
    writeLog: (text) => writeAbove(err, toShown(text, colouredLog)),
    status(text) {
      const line = toShown(text, colouredOut).replaceAll("\n", " ");
      if (!interactive || line === shown) return;
      out.write(`${shown === "" ? "" : eraseLine}${line}`);
      shown = line;
    },
  };
}
