import type { GatewayStore } from "@device-gateway/core/store";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";

/** Where a store keeps its data. Plain data, so that it can be sent to another process. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

export type StoreKind = StorePlace["kind"];
export const storeKinds: readonly string[] = ["sqlite", "postgres"] satisfies StoreKind[];

export const openPlace = (place: StorePlace): Promise<GatewayStore> =>
  place.kind === "sqlite"
    ? openSqliteStore({ file: place.file })
    : openPostgresStore({ url: place.url });
