import { UnwantedWorkError } from "../../shared/unwanted-work-error.js";

/** Thrown by a transport's `turn` if the client disconnected: nobody needs the rest of the work. It is not a fault. */
export class ClientGoneError extends UnwantedWorkError {
  override readonly name = "ClientGoneError";
}
