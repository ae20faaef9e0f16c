interface Site {
  /** Number of requests that this turn of the event loop has admitted. */
  admitted: number;
  readonly waiting: (() => void)[];
}

/** Lets each site start a limited number of requests in a turn of the event loop. */
export interface TurnsBySite {
  /** Returns whether the site may start a request in this turn. If so, counts it. */
  enter(site: string): boolean;
  /** Calls `start` in a later turn, after the site's requests that already wait. */
  wait(site: string, start: () => void): void;
}

/**
 * Creates the turns. However many requests the connections of one site send at once, the others' requests wait for at
 * most `perTurn` of them in each turn.
 */
export function createTurnsBySite(perTurn: number): TurnsBySite {
  const sites = new Map<string, Site>();

  function nextTurn(): void {
    // A request that starts in this turn may add a site.
    for (const [name, site] of [...sites]) {
      const admitted = site.waiting.splice(0, perTurn);
      site.admitted = admitted.length;
      if (admitted.length === 0) sites.delete(name);
      for (const start of admitted) start();
    }
    if (sites.size > 0) setImmediate(nextTurn);
  }

  function siteOf(name: string): Site {
    const known = sites.get(name);
    if (known !== undefined) return known;
    if (sites.size === 0) setImmediate(nextTurn);
    const site: Site = { admitted: 0, waiting: [] };
    sites.set(name, site);
    return site;
  }

  return {
    enter(name) {
      const site = siteOf(name);
      if (site.admitted >= perTurn || site.waiting.length > 0) return false;
      site.admitted += 1;
      return true;
    },
    wait: (name, start) => void siteOf(name).waiting.push(start),
  };
}
