import type { Result } from "neverthrow";
import type {
  Operation,
  ParsedRequest,
  RouteAnswer,
  RouteError,
  RouteName,
  Routes,
} from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { JsonBytes } from "../shared/json-bytes.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Turn } from "../shared/turn.js";
import type { User } from "../user/user.js";
import type { Deadline } from "./deadline.js";

type CallerOf<R extends Operation> = R["auth"] extends readonly []
  ? null
  : R["auth"] extends readonly ["device"]
    ? Device
    : User;

/** A request that was matched, authenticated and parsed. */
export interface Call<R extends Operation> extends ParsedRequest<R> {
  readonly origin: RequestOrigin;
  readonly caller: CallerOf<R>;
  /** The time limit of the response. A handler that waits on purpose pauses it. */
  readonly deadline: Deadline;
  /** Resolves when the request may continue long work. */
  readonly turn: Turn;
}

type AllowJsonBytes<Answer> = Answer extends {
  readonly status: infer Status;
  readonly body: infer Body;
}
  ? { readonly status: Status; readonly body: Body | JsonBytes<Body> }
  : Answer;
type WithHeaders<Answer> = AllowJsonBytes<Answer> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** Handles a request of an operation. Returns one of its responses or one of its error codes. */
export type Handler<R extends Operation> = (
  call: Call<R>,
) => Promise<Result<WithHeaders<RouteAnswer<R>>, Failure<RouteError<R>>>>;

/** A handler for each of the named routes. */
export type HandlersOf<Name extends RouteName> = { readonly [N in Name]: Handler<Routes[N]> };

/** A handler for every route. A missing one does not compile. */
export type Handlers = HandlersOf<RouteName>;
