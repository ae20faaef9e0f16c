import jsQR from "jsqr";

const pixelsAModule = 4;
/** Modules of the terminal's own ground around the code. */
const ground = 4;

interface Terminal {
  /** Whether letters are light on a dark ground. */
  readonly dark: boolean;
}

/** What a phone reads off a terminal: a QR code that is drawn in half blocks, or null. */
export function readDrawnCode(drawn: string, { dark }: Terminal): string | null {
  const lines = drawn.split("\n");
  const width = Math.max(...lines.map((line) => line.length)) + 2 * ground;
  const height = 2 * lines.length + 2 * ground;
  const isInk = (x: number, y: number) => {
    const half = y - ground;
    const letter = lines[Math.floor(half / 2)]?.[x - ground] ?? " ";
    return letter === "█" || letter === (half % 2 === 0 ? "▀" : "▄");
  };
  const [columns, rows] = [width * pixelsAModule, height * pixelsAModule];
  const picture = new Uint8ClampedArray(columns * rows * 4).fill(255);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const ink = isInk(Math.floor(x / pixelsAModule), Math.floor(y / pixelsAModule));
      picture.fill(ink === dark ? 255 : 0, (y * columns + x) * 4, (y * columns + x) * 4 + 3);
    }
  }
  return jsQR.default(picture, columns, rows)?.data ?? null;
}
