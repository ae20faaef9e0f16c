import type { Result } from "neverthrow";
import type { Operation } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Turn } from "../shared/turn.js";
import type { User } from "../user/user.js";
import type { Deadline } from "./deadline.js";
import type { Answer } from "./render.js";
import type { Caller } from "./request/authenticate.js";
import type { GatewayRequest } from "./request/message.js";
import type { Input } from "./request/read-input.js";

/** A handler of any operation. The types of the route table guarantee that each operation has a handler that fits. */
export type UntypedHandler = (
  call: Input & {
    origin: RequestOrigin;
    caller: Device | User | null;
    deadline: Deadline;
    turn: Turn;
  },
) => Promise<Result<Answer, Failure>>;

/** A call of an operation by an authenticated caller. */
export interface OperationCall {
  readonly name: string;
  readonly operation: Operation;
  readonly handler: UntypedHandler;
  readonly params: Readonly<Record<string, string>>;
  readonly request: GatewayRequest;
  readonly origin: RequestOrigin;
  readonly caller: Caller;
  /** Whether the call draws from the caller's token buckets. */
  readonly throttled: boolean;
}

/** Runs an operation, or a part of its steps. */
export type RunOperation = (
  call: OperationCall,
  deadline: Deadline,
) => Promise<Result<Answer, Failure>>;
