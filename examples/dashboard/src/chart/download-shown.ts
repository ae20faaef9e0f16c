import { type ShownTable, toCsv } from "../series/shown-table.js";

/** Saves a text as a CSV file. */
export function downloadText(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replaceAll(/[^\w.-]/g, "_")}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}

/** Saves exactly what the charts show as a CSV file. */
export const downloadShown = (deviceId: string, table: ShownTable): void =>
  downloadText(`${deviceId}-shown`, toCsv(table));
