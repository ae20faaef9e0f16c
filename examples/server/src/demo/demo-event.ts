import type { UpdateReport } from "@device-gateway/device-client/update";

/** What the demo gateway does, for a narrator to show. */
export type DemoEvent =
  | {
      readonly kind: "registered" | "logged_in";
      /** The code to claim the demo gateway with. The person who runs the demo may see it. */
      readonly claimCode: string;
      /** Whether the gateway already has an owner. */
      readonly owned: boolean;
    }
  /** The server accepts neither its secret nor its claim code alone. */
  | { readonly kind: "locked_out"; readonly retrySeconds: number }
  | { readonly kind: "configured"; readonly intervalSeconds: number }
  | { readonly kind: "replaying"; readonly sent: number; readonly total: number }
  | {
      readonly kind: "replayed";
      readonly stored: number;
      readonly duplicates: number;
      readonly rejected: number;
    }
  | {
      readonly kind: "live";
      readonly at: number;
      readonly temperature: number;
      readonly intervalSeconds: number;
    }
  /** A report of an update that the server has accepted. */
  | {
      readonly kind: "updating";
      readonly state: UpdateReport["state"];
      readonly version: string;
      /** In percent. */
      readonly progress: number | undefined;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
    }
  | { readonly kind: "restarting"; readonly version: string }
  | { readonly kind: "waiting"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Why the demo gateway gives up. The server keeps running. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}
