import type { ChangeFollower } from "../../change/change-follower.js";
import type { Release } from "./release.js";
import type { ReleaseStore } from "./release-store.js";

/** The active releases, in this process: an offer and a download cost no round trip for them. */
export interface ReleaseCatalog {
  /** As they were no more than 750 ms ago, by this process's own changes as they are. */
  list(): Promise<readonly Release[]>;
  /** Runs a change of a release and forgets what was known. */
  change<Outcome>(transition: () => Promise<Outcome>): Promise<Outcome>;
}

interface Sources {
  readonly releases: Pick<ReleaseStore, "offerable">;
  readonly follower: ChangeFollower;
}

export function createReleaseCatalog({ releases, follower }: Sources): ReleaseCatalog {
  let known: Promise<readonly Release[]> | undefined;

  function forget(): void {
    known = undefined;
  }
  follower.subscribe((outcome) => {
    if (outcome.kind === "reset" || outcome.releasesChanged) forget();
  });

  /** One read for all who ask meanwhile; one that failed is not kept. */
  function read(): Promise<readonly Release[]> {
    const reading = releases.offerable();
    reading.catch(() => {
      if (known === reading) forget();
    });
    return reading;
  }

  return {
    async list() {
      if (!(await follower.isFresh())) return releases.offerable();
      known ??= read();
      return known;
    },
    async change(transition) {
      try {
        return await transition();
      } finally {
        forget();
      }
    },
  };
}
