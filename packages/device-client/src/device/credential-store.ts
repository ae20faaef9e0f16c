/** What a device must store to keep its identity across restarts. */
export interface Credentials {
  /** The secret of the last registration or rotation. */
  readonly deviceSecret: string;
}

/**
 * Stores the secret of a device, for example in flash memory or in a private file. Its methods reject
 * if the storage fails.
 */
export interface CredentialStore {
  /** Returns the stored secret, or null if there is none or it is unreadable. */
  load(): Promise<Credentials | null>;
  /** Resolves when the secret is durable. After a crash, the store has either the new or the old one. */
  save(credentials: Credentials): Promise<void>;
}

/**
 * Creates a store in memory. It loses the secret when the process ends.
 * @example
 * const credentials = createMemoryCredentials();
 * const device = createDevice({ baseUrl, identity, credentials });
 */
export function createMemoryCredentials(): CredentialStore {
  let stored: Credentials | null = null;
  return {
    load: async () => stored,
    async save(credentials) {
      stored = credentials;
    },
  };
}
