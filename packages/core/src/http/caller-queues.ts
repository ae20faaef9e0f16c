import type { GatewayContext } from "../context.js";
import type { RouteName } from "../contract/index.js";
import { createInTurn, type InTurn } from "../shared/in-turn.js";
import type { OperationCall } from "./operation-call.js";

/**
 * Requests of a user that run at once in this process. A user may send the requests of a whole minute in one second,
 * and they would take the connections of the database from the devices.
 */
const requestsAtOnce = 2;
/** Operations that do not wait for others of the same caller. Most of them may take seconds. */
const longOperations: ReadonlySet<string> = new Set<RouteName>([
  // They take turns, or wait for a slow hash, for hooks of the embedder, or for the client.
  "changeDevices",
  "claimDevice",
  "releaseDevice",
  "changeRelease",
  "uploadReleaseImage",
  // The store commits telemetry of many requests together. The other two wait for a command or send an image.
  "sendTelemetry",
  "fetchCommands",
  "downloadFirmware",
]);

/** The queues in which operations wait for others of the same caller. */
export interface CallerQueues {
  /** Returns the queue of an operation, or undefined if it does not wait for others of its caller. */
  queueOf(call: OperationCall): InTurn | undefined;
  /** Returns whether an operation is a long read of telemetry. Those have queues of their own. */
  isLongRead(name: string): boolean;
}

export function createCallerQueues(context: GatewayContext): CallerQueues {
  const usersInTurn = createInTurn(requestsAtOnce);
  // A history may rest for seconds, so the user's other requests do not wait for it. The other long reads keep their
  // place only until their response begins.
  const histories = createInTurn(requestsAtOnce);
  const openings = createInTurn(requestsAtOnce);
  const longReads: ReadonlyMap<string, InTurn> = new Map<RouteName, InTurn>([
    ["readTelemetryHistory", histories],
    ["listTelemetryRecords", openings],
    ["followTelemetry", openings],
    ["exportTelemetry", openings],
  ]);

  return {
    isLongRead: (name) => longReads.has(name),
    queueOf({ name, operation, caller, throttled }) {
      if (!throttled || longOperations.has(name)) return undefined;
      if (caller.kind === "device") return context.devicesInTurn;
      if (operation.throttle !== "dashboard") return undefined;
      return longReads.get(name) ?? usersInTurn;
    },
  };
}
