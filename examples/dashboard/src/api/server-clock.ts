import { signal } from "@preact/signals";

/** Smaller differences are not corrected: the header has whole seconds, and a busy server sends it late. */
const toleranceMs = 5_000;

/** How far the server's clock is ahead of the browser's, in milliseconds. 0 while both agree. */
export const clockOffset = signal(0);

/** Returns the server's time in epoch milliseconds. The browser's clock may be wrong. */
export const serverNow = (): number => Date.now() + clockOffset.value;

/** Compares both clocks by the `Date` header of a response. `sentAt` is the browser's time at the request. */
export function compareClocks(headers: Headers, sentAt: number): void {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  // The server wrote the header at some time between the request and now.
  const [least, most] = [date - Date.now(), date + 1_000 - sentAt];
  const fits = (offset: number) => least - toleranceMs < offset && offset < most + toleranceMs;
  if (fits(clockOffset.value)) return;
  clockOffset.value = fits(0) ? 0 : Math.round((least + most) / 2);
}
