import { toSafeLines } from "../log/unsafe-text.js";
import { createPalette, type Palette, showsColour } from "./palette.js";

export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Writes the output for people (stdout) and the log (stderr) without mixing their lines. It escapes control characters, so
 * that foreign text cannot send commands to the terminal.
 */
export interface Terminal {
  /** Whether stdout is a terminal on which a status line can change in place. */
  readonly interactive: boolean;
  readonly palette: Palette;
  /** Whether the log goes to a terminal, and whether it is coloured. */
  readonly log: { readonly interactive: boolean; readonly coloured: boolean };
  print(text: string): void;
  /** Shows one line below all other output until the next status. Does nothing if `interactive` is false. */
  status(line: string): void;
  writeLog(text: string): void;
}

/** The escape sequences that palettes use. None of them hides text or moves the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a colour.
const colourCode = /(\u001b\[(?:[012]|22|3[1-79]|4[19]|9[0-7])m)/;

/** Escapes all control characters except newlines and, if `coloured`, colours. */
function toShown(text: string, coloured: boolean): string {
  if (!coloured) return toSafeLines(text);
  const parts = text.split(colourCode);
  // Every second part is a colour code.
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

  // Both streams may be the same terminal, so the status line is erased before either writes.
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
