import { problems, type Route } from "@device-gateway/core/contract";
import type { Standing } from "./actors.js";
import type { Expected } from "./samples.js";

const success: Expected = { code: null };
const problem = (code: keyof typeof problems): Expected => ({
  code,
  status: problems[code].status,
});

/** What authentication alone says to an actor (contract §0); null when it lets them in. */
function atTheDoor(route: Route, { kind, operator, cookie }: Standing): Expected | null {
  const [wanted] = route.auth;
  switch (wanted) {
    case undefined:
      return null;
    case "device":
      return kind === "device" ? null : problem("unauthorized");
    case "customer":
      // A cookie is for the dashboard alone.
      return kind === "user" && !cookie ? null : problem("unauthorized");
    case "session":
    case "operator":
      if (kind !== "user") return problem("unauthorized");
      if (cookie && route.method !== "GET") return problem("cross_site");
      return wanted === "operator" && !operator ? problem("forbidden") : null;
  }
}

/**
 * What an actor must get of a route, by the route table and visibility alone: a device is there for
 * its owner and for operators, and for all others there is none (contract §0, §7).
 */
export function expectedAnswer(
  route: Route,
  standing: Standing,
  byLaw: Expected | undefined,
): Expected {
  const refused = atTheDoor(route, standing);
  if (refused !== null) return refused;
  if (byLaw !== undefined) return byLaw;
  const [wanted] = route.auth;
  const aboutOne = route.path.includes("/:deviceId");
  if (!aboutOne || wanted === undefined || wanted === "device" || wanted === "operator") {
    return success;
  }
  if (standing.owner) return success;
  const sees = wanted === "session" && standing.operator;
  if (!sees) return problem("device_not_found");
  return route.errors.includes("not_owner") ? problem("not_owner") : success;
}

export function isAsExpected(
  { code, status }: Expected,
  reply: { readonly status: number; readonly body: string },
  route: Route,
): boolean {
  if (code === null) return route.responses.some((answer) => answer.status === reply.status);
  const named = reply.body.includes(`"code":"${code}"`);
  return reply.status === status && named;
}
