/** A user whom the embedder has authenticated: a customer or an operator. */
export interface User {
  /** Stable and unique among the embedder's users. Ownership of devices refers to it. */
  readonly id: string;
  readonly emailVerified: boolean;
  /** The gateway uses only the role `operator`. */
  readonly roles: readonly string[];
}

export const isOperator = (user: User): boolean => user.roles.includes("operator");
