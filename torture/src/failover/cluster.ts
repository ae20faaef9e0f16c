/** A disturbance of a database cluster. */
export interface Disturbance {
  readonly name: string;
  /** How long the cluster's manager itself delays commits after the promotion, in milliseconds. Default: 0. */
  readonly managerPauseMs?: number;
  /**
   * Resolves when a new primary commits, with the milliseconds since its promotion. If none is promoted, resolves when the
   * disturbance has lasted long enough.
   */
  begin(): Promise<number>;
  /** Repairs the cluster. Resolves when all its servers work. */
  end(): Promise<void>;
}

/** A Postgres primary with standbys. */
export interface Cluster {
  readonly name: string;
  /** Leads to the primary. */
  readonly url: string;
  /** Leads to a replica. */
  readonly readUrl: string;
  /** Disturbances after which nothing may be lost. */
  readonly disturbances: readonly Disturbance[];
  /** Returns the URL of the primary itself. */
  primaryUrl(): Promise<string>;
  /** From now on commits wait for no standby, and the standbys receive nothing. */
  fallBehind(): Promise<void>;
  /** Ends the primary. Resolves when a standby, which is behind, has taken over. */
  loseNewest(): Promise<void>;
  close(): Promise<void>;
}
