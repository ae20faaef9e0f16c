import {
  getCurrentAuthContextAsyncLocalStorage,
  getCurrentDBAdapterAsyncLocalStorage,
  getRequestStateAsyncLocalStorage,
} from "@better-auth/core/context";
import { disableWhenIdle } from "./disable-when-idle.js";

/** Makes the storages of better-auth disable themselves whenever no account request uses them. */
export async function disableAuthContextsWhenIdle(): Promise<void> {
  disableWhenIdle(await getRequestStateAsyncLocalStorage());
  disableWhenIdle(await getCurrentAuthContextAsyncLocalStorage());
  disableWhenIdle(await getCurrentDBAdapterAsyncLocalStorage());
}
