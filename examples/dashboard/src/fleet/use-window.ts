import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows above and below the viewport that are rendered too, so that the keyboard reaches them. */
const overscan = 12;
/** Assumed until a row has been measured, in pixels. */
const assumedHeight = 68;

export interface RowWindow {
  /** The first rendered row. */
  readonly first: number;
  /** The row after the last rendered one. */
  readonly end: number;
  /** The height of the rows above and below, in pixels. */
  readonly above: number;
  readonly below: number;
}

/**
 * Returns the rows of a long list that are near the viewport. All rows must have the same height, which may change with
 * the class `look`.
 */
export function useRowWindow(
  body: RefObject<HTMLElement | null>,
  count: number,
  look: string,
): RowWindow {
  const [range, setRange] = useState({ first: 0, end: Math.min(count, 40), height: assumedHeight });
  useLayoutEffect(() => {
    const update = () => {
      if (!body.current) return;
      const row = body.current.querySelector("tr[data-row]");
      const height = row?.getBoundingClientRect().height || assumedHeight;
      const { top } = body.current.getBoundingClientRect();
      const at = (pixels: number) => Math.floor((pixels - top) / height);
      const first = Math.max(0, Math.min(count, at(0) - overscan));
      const end = Math.min(count, Math.max(at(innerHeight), 0) + overscan + 1);
      setRange((before) =>
        before.first === first && before.end === end && before.height === height
          ? before
          : { first, end, height },
      );
    };
    update();
    addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    return () => {
      removeEventListener("scroll", update);
      removeEventListener("resize", update);
    };
  }, [count, look]);
  const [first, end] = [Math.min(range.first, count), Math.min(range.end, count)];
  return {
    ...{ first, end },
    above: first * range.height,
    below: (count - end) * range.height,
  };
}
