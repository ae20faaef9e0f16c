import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayStore } from "@device-gateway/core/store";
import { openSqliteStore } from "@device-gateway/store-sqlite";

/** Where a store keeps what it keeps: plain data, so that it can be told to another process. */
export interface StorePlace {
  readonly kind: "sqlite";
  readonly file: string;
}

export type StoreKind = StorePlace["kind"];

export function newPlace(kind: StoreKind, folder: string, name: string): StorePlace {
  return { kind, file: join(folder, `${name}.db`) };
}

/** Copies what is kept at a place that nobody has open. */
export function copyPlace(from: StorePlace, to: StorePlace): StorePlace {
  copyFileSync(from.file, to.file);
  return to;
}

export const openPlace = ({ file }: StorePlace): Promise<GatewayStore> => openSqliteStore({ file });
