/** A shorter drag is a tap. */
const minWidth = 24;

interface TouchSelection {
  /** Shows the selected range while the finger moves. */
  readonly onMove: (left: number, width: number) => void;
  /** Called at the end of a drag. */
  readonly onSelect: (left: number, width: number) => void;
  /** Called when the browser takes the gesture, for example to scroll. */
  readonly onCancel: () => void;
  /** Called at a tap, and while the finger moves. */
  readonly onPoint: (left: number) => void;
}

/**
 * Lets a finger select a range by dragging sideways. Dragging up and down still scrolls the page, because the style of
 * the chart is `touch-action: pan-y`. Returns a function that stops it.
 */
export function selectByTouch(area: HTMLElement, selection: TouchSelection): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let start: { readonly id: number; readonly x: number } | undefined;
  const rangeOf = ({ clientX }: PointerEvent, from: number) => {
    const { left, width } = area.getBoundingClientRect();
    const clamp = (x: number) => Math.min(width, Math.max(0, x - left));
    const [a, b] = [clamp(from), clamp(clientX)];
    return [Math.min(a, b), Math.abs(a - b)] as const;
  };
  const isOurs = (event: PointerEvent) =>
    start !== undefined && event.pointerId === start.id ? start : undefined;
  area.addEventListener(
    "pointerdown",
    (event) => {
      if (event.pointerType !== "touch" || !event.isPrimary) return;
      start = { id: event.pointerId, x: event.clientX };
      area.setPointerCapture(event.pointerId);
      selection.onPoint(rangeOf(event, event.clientX)[0]);
    },
    { signal },
  );
  area.addEventListener(
    "pointermove",
    (event) => {
      const began = isOurs(event);
      if (began) selection.onMove(...rangeOf(event, began.x));
    },
    { signal },
  );
  area.addEventListener(
    "pointerup",
    (event) => {
      const began = isOurs(event);
      if (!began) return;
      start = undefined;
      const [left, width] = rangeOf(event, began.x);
      if (width >= minWidth) selection.onSelect(left, width);
      else selection.onCancel();
    },
    { signal },
  );
  area.addEventListener(
    "pointercancel",
    () => {
      start = undefined;
      selection.onCancel();
    },
    { signal },
  );
  return () => stopping.abort();
}
