import { problems, type Route } from "@device-gateway/core/contract";
import type { Expected } from "../samples/sample.js";
import type { Standing } from "./actors.js";

const success: Expected = { code: null };
const problem = (code: keyof typeof problems): Expected => ({
  code,
  status: problems[code].status,
});

/** Returns how authentication alone refuses an actor (§0), or null if it accepts the actor. */
function refusalByAuth(route: Route, { kind, operator, cookie }: Standing): Expected | null {
  const [wanted] = route.auth;
  switch (wanted) {
    case undefined:
      return null;
    case "device":
      return kind === "device" ? null : problem("unauthorized");
    case "customer":
      // Only the dashboard accepts cookies.
      return kind === "user" && !cookie ? null : problem("unauthorized");
    case "session":
    case "operator":
      if (kind !== "user") return problem("unauthorized");
      if (cookie && route.method !== "GET") return problem("cross_site");
      return wanted === "operator" && !operator ? problem("forbidden") : null;
  }
}

/**
 * Returns what an actor must get from a route, derived from the route table and visibility: only the owner
 * and operators can see a device. For all others it does not exist (§0, §7).
 */
export function expectedAnswer(
  route: Route,
  standing: Standing,
  bySample: Expected | undefined,
): Expected {
  const refused = refusalByAuth(route, standing);
  if (refused !== null) return refused;
  if (bySample !== undefined) return bySample;
  const [wanted] = route.auth;
  const isAboutDevice = route.path.includes("/:deviceId");
  if (!isAboutDevice || wanted === undefined || wanted === "device" || wanted === "operator") {
    return success;
  }
  if (standing.owner) return success;
  const canSee = wanted === "session" && standing.operator;
  if (!canSee) return problem("device_not_found");
  return route.errors.includes("not_owner") ? problem("not_owner") : success;
}

export function isAsExpected(
  { code, status }: Expected,
  reply: { readonly status: number; readonly body: string },
  route: Route,
): boolean {
  if (code === null) return route.responses.some((answer) => answer.status === reply.status);
  const hasCode = reply.body.includes(`"code":"${code}"`);
  return reply.status === status && hasCode;
}
