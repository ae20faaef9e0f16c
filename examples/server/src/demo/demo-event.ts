import type { UpdateReport } from "@device-gateway/device-client/update";

/** What the demo gateway does, for whoever tells it to a person. */
export type DemoEvent =
  | {
      readonly kind: "registered" | "logged_in";
      /** What its owner claims it with: the demo's is no secret to whoever runs it. */
      readonly claimCode: string;
      /** Whether somebody has claimed it already. */
      readonly owned: boolean;
    }
  /** Its secret is no longer taken, nor its claim code alone. */
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
  /** A report of an update that the server has taken. */
  | {
      readonly kind: "updating";
      readonly state: UpdateReport["state"];
      readonly version: string;
      /** Percent. */
      readonly progress: number | undefined;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
    }
  | { readonly kind: "restarting"; readonly version: string }
  | { readonly kind: "waiting"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Why the demo gateway gives up; the server goes on without it. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}
