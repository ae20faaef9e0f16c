import type { Page } from "playwright-core";

/** A text that a chart drew. Positions are CSS pixels. */
export interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly canvas: number;
}

/** Records every text that is drawn on a canvas until the canvas is cleared. Runs in the page, before its scripts. */
export const recordLabels = () => {
  const all = new Map<HTMLCanvasElement, object[]>();
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  Object.assign(CanvasRenderingContext2D.prototype, {
    clearRect(this: CanvasRenderingContext2D, ...place: [number, number, number, number]) {
      all.set(this.canvas, []);
      clearRect.apply(this, place);
    },
    fillText(this: CanvasRenderingContext2D, text: string, x: number, y: number) {
      const { width } = this.measureText(text);
      const ratio = devicePixelRatio;
      const label = { text, x: x / ratio, y: y / ratio, width: width / ratio };
      all.set(this.canvas, [...(all.get(this.canvas) ?? []), label]);
      fillText.call(this, text, x, y);
    },
  });
  Object.assign(globalThis, {
    chartLabels: () =>
      [...document.querySelectorAll("canvas")].flatMap((canvas, n) =>
        (all.get(canvas) ?? []).map((label) => ({ ...label, canvas: n })),
      ),
  });
};

/** Returns the texts that the page's charts show, if the page records them. */
export const readLabels = (page: Page): Promise<readonly Label[]> =>
  page.evaluate(() => (globalThis as unknown as { chartLabels(): Label[] }).chartLabels());
