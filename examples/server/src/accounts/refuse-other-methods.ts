import type { RequestHandler } from "express";
import { sendProblem } from "../http/send-problem.js";

const notAllowed = {
  status: 405,
  code: "method_not_allowed",
  detail: "This path does not support the method. Use a method that the Allow header lists.",
};

/** The parts of an endpoint of better-auth that say which requests it answers. */
interface Endpoint {
  /** Undefined if no request can call it. */
  readonly path?: string;
  readonly options?: { readonly method?: string | readonly string[] };
}

/** Returns the methods of each path of better-auth. */
export function methodsByPath(api: object): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, readonly string[]>();
  for (const { path, options } of Object.values(api) as Endpoint[]) {
    if (path === undefined) continue;
    methods.set(path, [...(methods.get(path) ?? []), ...[options?.method ?? []].flat()]);
  }
  return methods;
}

/** Creates a handler that answers 405 to all other methods. Some, such as TRACE, cannot be passed on in a `Request`. */
export const refuseOtherMethods =
  (methods: readonly string[]): RequestHandler =>
  (request, response, next) => {
    if (methods.includes(request.method)) {
      next();
    } else {
      response.setHeader("allow", methods.join(", "));
      sendProblem(request, response, notAllowed);
    }
  };
