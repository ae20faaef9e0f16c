/** Somebody who is signed in with the embedder: a customer, an operator. */
export interface User {
  /** Stable and unique among the embedder's users; devices are owned by it. */
  readonly id: string;
  readonly emailVerified: boolean;
  /** The one role that means something here is `operator`. */
  readonly roles: readonly string[];
}

export const isOperator = (user: User): boolean => user.roles.includes("operator");
