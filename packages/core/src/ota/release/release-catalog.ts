import type { ChangePoller } from "../../change/change-poller.js";
import type { Release } from "./release.js";
import type { ReleaseStore } from "./release-store.js";

/** Caches the active releases in this process, so that offers and downloads need no round trip for them. */
export interface ReleaseCatalog {
  /** Returns the active releases, at most 750 ms old. Changes by this process are included at once. */
  list(): Promise<readonly Release[]>;
  /** Runs a change of a release and clears the cache. */
  change<Outcome>(transition: () => Promise<Outcome>): Promise<Outcome>;
}

interface Sources {
  readonly releases: Pick<ReleaseStore, "offerable">;
  readonly poller: ChangePoller;
}

export function createReleaseCatalog({ releases, poller }: Sources): ReleaseCatalog {
  let known: Promise<readonly Release[]> | undefined;

  function clear(): void {
    known = undefined;
  }
  poller.subscribe((outcome) => {
    if (outcome.kind === "reset" || outcome.releasesChanged) clear();
  });

  /** Reads the releases once for all concurrent callers. A failed read is not cached. */
  function read(): Promise<readonly Release[]> {
    const reading = releases.offerable();
    reading.catch(() => {
      if (known === reading) clear();
    });
    return reading;
  }

  return {
    async list() {
      if (!(await poller.isFresh())) return releases.offerable();
      known ??= read();
      return known;
    },
    async change(transition) {
      try {
        return await transition();
      } finally {
        clear();
      }
    },
  };
}
