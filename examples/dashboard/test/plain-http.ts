import type { Page } from "playwright-core";

/** Removes what browsers offer only on HTTPS and localhost, as if the page came over plain HTTP. Call it before opening a page. */
export const actAsPlainHttp = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    for (const name of ["randomUUID", "subtle"]) Reflect.deleteProperty(Crypto.prototype, name);
    for (const name of ["clipboard", "mediaDevices", "locks", "storage", "serviceWorker"]) {
      Reflect.deleteProperty(Navigator.prototype, name);
    }
  });
