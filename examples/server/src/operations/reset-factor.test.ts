import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { linkIn } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { useFixedTime } from "../testing/fixed-time.js";
import { buildServer } from "../testing/server-process.js";
import { useAccountServer } from "../testing/use-account-server.js";
import { resetFactor } from "./reset-factor.js";

useCheapScrypt();
useFixedTime();

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const { server, post, readAccount, signUp, enrol, begin, newBrowser, fragmentOf } =
    useAccountServer(kind);

  /** Runs the command of the built program in its own process, as an operator would. */
  const run = async (...args: string[]) => {
    const { DATA_DIR, DATABASE_URL } = server().settings;
    const env = {
      ...{ PATH: process.env["PATH"], DATA_DIR, PORT: new URL(server().url).port },
      ...(DATABASE_URL !== undefined && { DATABASE_URL }),
    };
    const child = spawn(process.execPath, [await buildServer(), "reset-factor", ...args], { env });
    const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [code, out] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { code, out };
  };

  test("reset-factor lets an owner who has lost the second factor sign in with the password, and tells the owner", async () => {
    const email = "lost@example.com";
    const browser = await signUp(email);
    const { app, recoveryCodes } = await enrol(browser);
    const waiting = await begin(email);
    const { code, out } = await run(email.toUpperCase());
    expect([code, out]).toEqual([0, expect.stringContaining("and 1 session ended.")]);
    expect(await readAccount(browser)).toBeNull();
    for (const [path, spent] of [
      ["/two-factor/verify-totp", app.next()],
      ["/two-factor/verify-backup-code", recoveryCodes[0]],
    ] as const) {
      expect([path, await post(waiting, path, { code: spent })]).toMatchObject([
        path,
        { status: 401 },
      ]);
    }
    const again = newBrowser();
    await again.signIn(email);
    expect(await readAccount(again)).toMatchObject({ email, secondFactor: false });

    expect(await run(email)).toMatchObject({
      code: 1,
      out: expect.stringContaining("has no second factor. Nothing was changed."),
    });
    expect(await readAccount(again)).toMatchObject({ email });
    // The owner takes the account back if somebody else asked the operator for this.
    const mail = { to: email, subject: "", text: out };
    expect(out).toContain(`Mail to ${email}: Second factor turned off`);
    expect(linkIn(mail)).toContain(`${server().url}/undo#`);
    expect(await post(newBrowser(), "/undo", fragmentOf(mail))).toMatchObject({ status: 200 });
    expect(await readAccount(again)).toBeNull();
  });

  test("reset-factor reports what it cannot do", async () => {
    const email = "unreachable@example.com";
    await enrol(await signUp(email));
    const runHere = async (args: readonly string[], changes = {}) => {
      const lines: string[] = [];
      const settings = { ...server().settings, ...changes };
      const code = await resetFactor(settings, args, (line) => lines.push(line));
      return [code, lines.join("\n")];
    };
    expect(await runHere([])).toEqual([2, expect.stringContaining("Usage: ")]);
    expect(await runHere(["--help"])).toEqual([2, expect.stringContaining("Usage: ")]);
    const unknown = "There is no account with the address nobody@example.com.";
    expect(await runHere(["nobody@example.com"])).toEqual([1, unknown]);
    const [code, output] = await runHere([email], { SMTP_URL: "smtp://127.0.0.1:1" });
    expect([code, output]).toEqual([1, expect.stringContaining("The owner got no notice: ")]);
    expect(output).toContain("The second factor and its recovery codes are removed");
    expect(output).toContain(`Mail to ${email}: Second factor turned off`);
    expect(output).toContain("/undo#");
  });
});
