import jsQR from "jsqr";

const pixelsPerModule = 4;
/** Width of the terminal's background around the code, in modules. */
const margin = 4;

interface Terminal {
  /** Whether text is light on a dark background. */
  readonly dark: boolean;
}

/** Reads a QR code that is drawn in half blocks, as a phone would from a terminal. Returns its text, or null. */
export function readDrawnCode(drawn: string, { dark }: Terminal): string | null {
  const lines = drawn.split("\n");
  const width = Math.max(...lines.map((line) => line.length)) + 2 * margin;
  const height = 2 * lines.length + 2 * margin;
  const isInk = (x: number, y: number) => {
    const half = y - margin;
    const character = lines[Math.floor(half / 2)]?.[x - margin] ?? " ";
    return character === "█" || character === (half % 2 === 0 ? "▀" : "▄");
  };
  const [columns, rows] = [width * pixelsPerModule, height * pixelsPerModule];
  const picture = new Uint8ClampedArray(columns * rows * 4).fill(255);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const ink = isInk(Math.floor(x / pixelsPerModule), Math.floor(y / pixelsPerModule));
      picture.fill(ink === dark ? 255 : 0, (y * columns + x) * 4, (y * columns + x) * 4 + 3);
    }
  }
  return jsQR.default(picture, columns, rows)?.data ?? null;
}
