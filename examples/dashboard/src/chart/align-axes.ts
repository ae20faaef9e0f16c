/** Gives the axes of several charts one width, so that the same time is at the same place in all of them. */
export interface AxisGroup {
  /** Returns the widest of the texts' widths. If it grew, the other charts are drawn again. */
  widthFor(chart: object, width: number, redraw: () => void): number;
  leave(chart: object): void;
}

export function createAxisGroup(): AxisGroup {
  const members = new Map<object, { width: number; redraw: () => void }>();
  const widest = () => Math.max(0, ...[...members.values()].map(({ width }) => width));
  const redrawOthers = (chart: object) =>
    queueMicrotask(() => {
      for (const [other, { redraw }] of members) if (other !== chart) redraw();
    });
  return {
    widthFor(chart, width, redraw) {
      const before = widest();
      members.set(chart, { width, redraw });
      const after = widest();
      if (after !== before && members.size > 1) redrawOthers(chart);
      return after;
    },
    leave(chart) {
      members.delete(chart);
    },
  };
}
