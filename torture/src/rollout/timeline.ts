import type { FakeClock } from "@device-gateway/testing";

/** Scheduled events, on a clock that jumps from one event to the next. */
export interface Timeline {
  /** Schedules an event in `ms` milliseconds. */
  after(ms: number, happen: () => Promise<void>): void;
  /** Runs the events in order until none is left or `done` returns true. */
  run(done: () => boolean): Promise<void>;
}

interface Due {
  readonly at: number;
  readonly happen: () => Promise<void>;
}

export function createTimeline(clock: FakeClock): Timeline {
  /** A binary heap with the earliest event on top. */
  const heap: Due[] = [];
  const at = (place: number) => heap[place]?.at ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    [heap[a], heap[b]] = [heap[b] as Due, heap[a] as Due];
  }

  function takeFirst(): Due | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let place = 0; ; ) {
      const left = 2 * place + 1;
      const child = at(left + 1) < at(left) ? left + 1 : left;
      if (at(child) >= at(place)) return first;
      swap(place, child);
      place = child;
    }
  }

  return {
    after(ms, happen) {
      heap.push({ at: clock.now() + Math.round(ms), happen });
      for (let place = heap.length - 1; place > 0; ) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= at(place)) return;
        swap(place, parent);
        place = parent;
      }
    },
    async run(done) {
      for (;;) {
        const next = done() ? undefined : takeFirst();
        if (next === undefined) return;
        clock.advance(Math.max(0, next.at - clock.now()));
        await next.happen();
      }
    },
  };
}
