import { createPalette, type Palette, showsColour } from "./palette.js";

export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What people read (stdout) and what is logged (stderr), so that neither tears the other. */
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

const eraseLine = "\r\u001b[2K";

export function createTerminal(
  out: OutputStream,
  err: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const interactive = out.isTTY === true && environment["TERM"] !== "dumb";
  let shown = "";

  // Both streams may be the same terminal, so the status line makes way for either.
  const writeAbove = (stream: OutputStream, text: string) => {
    if (shown !== "" && stream.isTTY) out.write(eraseLine);
    stream.write(text);
    if (shown !== "" && stream.isTTY) out.write(shown);
  };

  return {
    interactive,
    palette: createPalette(showsColour(out, environment)),
    log: { interactive: err.isTTY === true, coloured: showsColour(err, environment) },
    print: (text) => writeAbove(out, `${text}\n`),
    writeLog: (text) => writeAbove(err, text),
    status(line) {
      if (!interactive || line === shown) return;
      out.write(`${shown === "" ? "" : eraseLine}${line}`);
      shown = line;
    },
  };
}
