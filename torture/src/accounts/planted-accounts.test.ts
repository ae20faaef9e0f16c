import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../../../examples/server/src/testing/cheap-scrypt.js";
import { bundlePrograms, type SourceChange } from "../../../scripts/bundle-programs.js";
import type { Findings } from "../attack.js";

const program = "torture/src/accounts/judge-endpoints.ts";

/** An old session may change the account. */
const staleSessions: SourceChange = {
  file: /accounts\/fresh-sign-in\.ts$/,
  from: "freshMs = 600_000",
  to: "freshMs = 600_000 * 1_000",
};

/** A mailed link verifies the address also by a GET, without the password. */
const verifyByGet = [
  [
    '{ method: "POST", body: z.object({ token: z.string(), password: z.string() }) }',
    '{ method: ["GET", "POST"], body: z.any(), query: z.any() }',
  ],
  ["call.body.token", "(call.body ?? call.query).token"],
  ["!(await password.verify({ hash, password: call.body.password }))", "!password"],
  ["if (!newSession) return;", "if (!newSession || !call.body) return;"],
].map(([from = "", to = ""]): SourceChange => ({ file: /address\/address-proof\.ts$/, from, to }));

/** A reset hashes something, but only for an address that has an account. */
const costlyReset: SourceChange = {
  file: /address\/mail-requests\.ts$/,
  from: "if (user) sendReset(",
  to: "if (user) await context.password.hash(body.email);\n      if (user) sendReset(",
};

/** Other sites may use the session of a user's browser. */
const otherSites = [
  [/accounts\/create-auth\.ts$/, "disableOriginCheck: false", "disableOriginCheck: true"],
  [/accounts\/create-auth\.ts$/, "disableCSRFCheck: false", "disableCSRFCheck: true"],
  [/accounts\/accounts\.ts$/, 'router.use("/api/auth", refuseCrossSite);', ""],
].map(([file, from, to]) => ({ file, from, to }) as SourceChange);

useCheapScrypt();

it("finds the bugs planted in the accounts", async () => {
  const changes = [staleSessions, ...verifyByGet, costlyReset, ...otherSites];
  const bundled = await bundlePrograms([program], { changes, within: "examples/server" });
  try {
    const { judgeEndpoints } = (await import(bundled.program(program))) as {
      judgeEndpoints: () => Promise<Findings["violations"]>;
    };
    const found = (await judgeEndpoints()).map(({ what }) => what).join("\n");
    expect(found).toMatch(/POST \S+ changed an account/);
    expect(found).toMatch(/a GET of a mailed link changed an account/);
    expect(found).toMatch(/POST \/api\/auth\/sign-out \S*evil\.example\S* ended another's session/);
    expect(found).toMatch(/request-password-reset, verified: .* 1 slow hashes/);
  } finally {
    rmSync(bundled.folder, { recursive: true });
  }
});
