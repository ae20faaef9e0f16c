/** What a device must remember to be the same device after a restart. */
export interface Credentials {
  /** The refresh material of the last registration or rotation. */
  readonly deviceSecret: string;
}

/** Where a device keeps its secret, such as flash memory or a file for itself alone. It rejects when it fails. */
export interface CredentialStore {
  /** Null when there is nothing, or nothing readable. */
  load(): Promise<Credentials | null>;
  /** Resolves when it is durable. Afterwards there is the new secret or, after a crash, the old one. */
  save(credentials: Credentials): Promise<void>;
}

/** Keeps the secret as long as the process lives. */
export function createMemoryCredentials(): CredentialStore {
  let kept: Credentials | null = null;
  return {
    load: async () => kept,
    async save(credentials) {
      kept = credentials;
    },
  };
}
