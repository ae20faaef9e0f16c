/** How much work may wait, of one site and in total. */
const bounds = { ofSite: 8, total: 64 } as const;

/** The queue is full. */
export class BusyError extends Error {}

interface Waiter {
  admit(): void;
  refuse(reason: BusyError): void;
}

/** Does work one at a time. The sites that ask for it take turns. */
export interface SiteTurns {
  /** @throws {BusyError} if too much of the site's work, or of all sites', waits. */
  take<T>(site: string, work: () => Promise<T>): Promise<T>;
  /** Whether the site has as much work waiting as it may. */
  isFull(site: string): boolean;
}

export function createSiteTurns(): SiteTurns {
  /** The site whose turn is next comes first. */
  const waiting = new Map<string, readonly Waiter[]>();
  let isWorking = false;

  const isFull = (site: string) => (waiting.get(site)?.length ?? 0) >= bounds.ofSite;

  function add(site: string, waiter: Waiter): void {
    const busy = () => new BusyError("Too much work is waiting.");
    const own = waiting.get(site) ?? [];
    const all = [...waiting];
    if (isFull(site)) {
      waiter.refuse(busy());
      return;
    }
    if (all.flatMap(([, waiters]) => waiters).length >= bounds.total) {
      const [longest, most] = all.reduce((a, b) => (b[1].length > a[1].length ? b : a));
      if (most.length <= own.length + 1) {
        waiter.refuse(busy());
        return;
      }
      waiting.set(longest, most.slice(0, -1));
      most.at(-1)?.refuse(busy());
    }
    waiting.set(site, [...own, waiter]);
  }

  function leave(): void {
    const [site, own] = waiting.entries().next().value ?? ["", []];
    waiting.delete(site);
    const [next, ...others] = own;
    if (others.length > 0) waiting.set(site, others);
    if (next === undefined) isWorking = false;
    else next.admit();
  }

  return {
    isFull,
    async take(site, work) {
      if (isWorking) await new Promise<void>((admit, refuse) => add(site, { admit, refuse }));
      isWorking = true;
      return work().finally(leave);
    },
  };
}
