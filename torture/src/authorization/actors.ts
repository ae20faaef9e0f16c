import type { ActorName } from "../samples/actor-names.js";
import type { Scene } from "./scene.js";

/** What a route's authentication can tell about an actor. */
export interface Standing {
  readonly kind: "nobody" | "device" | "user";
  readonly operator?: true;
  readonly owner?: true;
  /** Authenticates by a cookie, which the browser also sends from other sites. */
  readonly cookie?: true;
}

export const standings: Readonly<Record<ActorName, Standing>> = {
  owner: { kind: "user", owner: true },
  stranger: { kind: "user" },
  "former owner": { kind: "user" },
  "the device": { kind: "device" },
  "another device": { kind: "device" },
  operator: { kind: "user", operator: true },
  nobody: { kind: "nobody" },
  "unverified customer": { kind: "user" },
  "owner's browser, from another site": { kind: "user", owner: true, cookie: true },
  "operator's browser, from another site": { kind: "user", operator: true, cookie: true },
};

/** Returns the headers that authenticate an actor. */
export function credentialsOf(actor: ActorName, { tokens }: Scene): Record<string, string> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const browser = (token: string) => ({
    cookie: `session=${token}`,
    origin: "https://evil.example.com",
    "sec-fetch-site": "cross-site",
  });
  switch (actor) {
    case "nobody":
      return {};
    case "owner's browser, from another site":
      return browser(tokens.owner);
    case "operator's browser, from another site":
      return browser(tokens.operator);
    case "owner":
      return bearer(tokens.owner);
    case "stranger":
      return bearer(tokens.stranger);
    case "former owner":
      return bearer(tokens.former);
    case "operator":
      return bearer(tokens.operator);
    case "unverified customer":
      return bearer(tokens.unverified);
    case "the device":
      return bearer(tokens.device);
    case "another device":
      return bearer(tokens.otherDevice);
  }
}
