import type { RequestHandler } from "express";
import type { Settings } from "../settings/settings.js";

const path = "/.well-known/security.txt";
const dayMs = 86_400_000;
const validDays = 180;

type SecuritySettings = Pick<Settings, "SECURITY_CONTACT" | "PUBLIC_URL">;

/**
 * Serves `security.txt` (RFC 9116), which says where to report a vulnerability. It expires 180 days after the day of the
 * request, so a saved copy does not promise an answer forever.
 */
export function createSecurityTxt(
  { SECURITY_CONTACT: contact, PUBLIC_URL: origin }: SecuritySettings,
  now: () => number = Date.now,
): RequestHandler[] {
  if (contact === undefined) return [];
  return [
    (request, response, next) => {
      if (request.path !== path || request.method !== "GET") return next();
      const today = Math.floor(now() / dayMs) * dayMs;
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${new Date(today + validDays * dayMs).toISOString()}`,
        ...(origin === undefined ? [] : [`Canonical: ${origin}${path}`]),
      ];
      response.type("text/plain; charset=utf-8").send(`${lines.join("\n")}\n`);
    },
  ];
}
