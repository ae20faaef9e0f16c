const censored = "[redacted]";

/** Names of secret values, in lower case without `-` and `_`. */
const secretNames = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "devicesecret",
  "claimcode",
  "token",
  "tokenkeys",
  "pepper",
  "password",
  "secret",
  "customerjwtsecret",
  "smtpurl",
  "databaseurl",
]);

/** A cheap first check, because most lines have no secrets: a secret name, `Bearer`, a JWT or a login in a URL. */
const suspicious =
  /authorization|cookie|secret|claim[-_]?code|token|pepper|password|bearer|eyJ|database[-_]?url|:\/\/[^\s/]*@/i;

/** Patterns of secrets inside text, such as a body or header that an error message quotes. */
const inText: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer\s+)[\w.~+/=-]+/gi, `$1${censored}`],
  [/(:\/\/[^\s:/@"]*:)[^\s/"]+@/g, `$1${censored}@`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, censored],
  [
    // A quoted value ends at its closing quote, also if it contains spaces or escapes. It can be cut off before.
    /\b((?:proxy-)?authorization|(?:set-)?cookie|(?:device|customer[-_]?jwt)[-_]?secret|claim[-_]?code|token|pepper|password)(\\?["']?\s*[:=]\s*)(?:(\\?["'])(?!\[redacted)(?:(?!\3)(?:\\.|[^\\]))+|(?!\[redacted)(?:bearer\s+)?[^\s"'\\,;}&]+)/gis,
    `$1$2$3${censored}`,
  ],
];

function redactValue(value: unknown): unknown {
  if (typeof value === "string") {
    return suspicious.test(value)
      ? inText.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value)
      : value;
  }
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const secret = secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ""));
      return [name, secret ? censored : redactValue(inner)];
    }),
  );
}

/**
 * Censors secrets anywhere in a log line. It works on the finished line, because pino's own redaction needs fixed paths,
 * and errors and child loggers add fields at others.
 */
export function redactLine(line: string): string {
  if (!suspicious.test(line)) return line;
  return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
}
