import { type ShownTable, toCsv } from "./shown-table.js";

/** Saves exactly what the charts show as a CSV file. */
export function downloadShown(deviceId: string, table: ShownTable): void {
  const url = URL.createObjectURL(new Blob([toCsv(table)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${deviceId.replaceAll(/[^\w.-]/g, "_")}-shown.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
