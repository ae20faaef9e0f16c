import { describe, expect, test } from "vitest";
import { useAccountTables } from "../../operations/account-tables.js";
import { password } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { type AccountBrowser, useAccountServer } from "../../testing/use-account-server.js";

useCheapScrypt();

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const people = useAccountServer(kind);
  const { mailTo, fragmentOf, post, readAccount, signUp, enrol, begin, takeBack, newBrowser } =
    people;
  const used = { status: 400, code: "INVALID_TOKEN" };
  const words = "the owner's own words";
  const undo = (fragment: object) => post(newBrowser(), "/undo", fragment);

  /** Moves an account to another address. Both mailboxes confirm it. */
  const move = async (browser: AccountBrowser, from: string, to: string) => {
    await post(browser, "/change-email", { newEmail: to });
    await post(browser, "/confirm-email", fragmentOf(mailTo(from, "Confirm the change")));
    const moved = await post(browser, "/confirm-email", fragmentOf(mailTo(to, "Confirm your new")));
    expect(moved).toMatchObject({ done: true });
  };

  test("after the owner's undo, a thief cannot undo it with a notice to the thief's address", async () => {
    const [owners, thiefs] = ["owner@example.com", "thief@example.com"];
    const thief = await signUp(owners);
    await move(thief, owners, thiefs);
    // A sign-in from a new browser sends a notice, with its undo link, to the thief's address.
    await newBrowser().signIn(thiefs);
    const toThief = fragmentOf(mailTo(thiefs, "New sign-in"));
    const owner = await takeBack(mailTo(owners, "address was changed"), words);
    expect(await undo(toThief)).toMatchObject(used);
    expect((await owner.signIn(owners, words)).status).toBe(200);
    expect(await readAccount(owner)).toMatchObject({ email: owners });
  });

  test("an undo leaves the owner's earlier notices valid", async () => {
    const [owners, thiefs] = ["first@example.com", "second@example.com"];
    const thief = await signUp(owners);
    await move(thief, owners, thiefs);
    await newBrowser().signIn(thiefs);
    expect(await undo(fragmentOf(mailTo(thiefs, "New sign-in")))).toMatchObject({ status: 200 });
    await takeBack(mailTo(owners, "address was changed"), words);
    expect((await newBrowser().signIn(owners, words)).status).toBe(200);
  });

  test("an undo removes a second factor that a thief turned on after the notice, also at another address", async () => {
    const [owners, thiefs] = ["robbed@example.com", "robber@example.com"];
    const thief = await signUp(owners);
    await move(thief, owners, thiefs);
    await enrol(thief);
    const owner = await takeBack(mailTo(owners, "address was changed"), words);
    await owner.signIn(owners, words);
    expect(await readAccount(owner)).toMatchObject({ email: owners, secondFactor: false });
  });

  test("an undo of new recovery codes makes them useless, and keeps the owner's second factor", async () => {
    const email = "copied@example.com";
    const thief = await signUp(email);
    const { app } = await enrol(thief);
    // The factor is older than the notice.
    await useAccountTables(people.server().settings, (tables) =>
      tables.updateTable("twoFactor").set({ firstStep: 1 }).execute(),
    );
    const { backupCodes } = await post(thief, "/two-factor/generate-backup-codes", { password });
    const [code] = backupCodes as string[];
    await takeBack(mailTo(email, "New recovery codes"), words);
    const path = "/two-factor/verify-backup-code";
    expect(await post(await begin(email, words), path, { code })).toMatchObject({ status: 401 });
    const signedIn = await post(await begin(email, words), "/two-factor/verify-totp", {
      code: app.next(),
    });
    expect(signedIn).toMatchObject({ status: 200 });
  });

  test("an undo link works once, also if it is used twice at the same time", async () => {
    const email = "hurried@example.com";
    await signUp(email);
    await newBrowser().signIn(email);
    const fragment = fragmentOf(mailTo(email, "New sign-in"));
    const answers = await Promise.all([undo(fragment), undo(fragment)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await undo(fragment)).toMatchObject(used);
  });

  test("an expired undo link, and one for another notice or address, changes nothing", async () => {
    const email = "late@example.com";
    await signUp(email);
    const browser = newBrowser();
    await browser.signIn(email);
    const fragment = fragmentOf(mailTo(email, "New sign-in"));
    for (const forged of [
      { ...fragment, kind: "factor-on" },
      { ...fragment, email: "other@example.com" },
    ]) {
      expect(await undo(forged)).toMatchObject(used);
    }
    await useAccountTables(people.server().settings, (tables) =>
      tables
        .updateTable("verification")
        .set({ expiresAt: new Date(Date.now() - 1_000).toISOString() })
        .where("value", "like", "undo:%")
        .execute(),
    );
    expect(await undo(fragment)).toMatchObject(used);
    expect(await readAccount(browser)).toMatchObject({ email });
  });

  test("after the account was deleted, no link that was mailed before does anything", async () => {
    const [email, next] = ["leaver@example.com", "leaver-new@example.com"];
    const browser = await signUp(email);
    const other = newBrowser();
    await other.signIn(email);
    await post(browser, "/change-email", { newEmail: next });
    await post(other, "/request-password-reset", { email });
    const reset = fragmentOf(mailTo(email, "Choose a new password"));
    expect(await post(browser, "/delete-user")).toMatchObject({ status: 200 });
    expect(await readAccount(other)).toBeNull();
    expect(mailTo(email, "Your account was deleted")).toBeDefined();
    const again = await signUp(email);
    const change = fragmentOf(mailTo(email, "Confirm the change"));
    expect(await post(again, "/confirm-email", change)).toMatchObject(used);
    expect(await undo(fragmentOf(mailTo(email, "New sign-in")))).toMatchObject(used);
    const newPassword = { token: reset["token"], newPassword: words };
    expect(await post(newBrowser(), "/reset-password", newPassword)).toMatchObject({ status: 400 });
    expect((await newBrowser().signIn(email, password)).status).toBe(200);
  });
});

describe("without verified addresses", () => {
  const people = useAccountServer("sqlite", { REQUIRE_VERIFIED_EMAIL: false });
  const { mailTo, fragmentOf, post, signUp, newBrowser } = people;

  test("an undo that deletes another account with the address releases its devices", async () => {
    const [owners, thiefs] = ["owner@example.com", "thief@example.com"];
    const thief = await signUp(owners);
    await post(thief, "/change-email", { newEmail: thiefs });
    await post(thief, "/confirm-email", fragmentOf(mailTo(owners, "Confirm the change")));
    await post(thief, "/confirm-email", fragmentOf(mailTo(thiefs, "Confirm your new")));
    const notice = fragmentOf(mailTo(owners, "address was changed"));
    const other = newBrowser();
    await other.signUp(owners);
    const claimCode = "ABCD-EFGH-JKLM";
    const registered = await fetch(`${people.server().url}/api/v1/device/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ deviceId: "gw-1", hardwareId: "board-1", claimCode },
        ...{ targetHardware: "board", firmwareVersion: "1.0.0" },
      }),
    });
    expect(registered.status).toBe(201);
    expect((await other.claim("gw-1", claimCode)).status).toBe(200);
    expect(await post(newBrowser(), "/undo", notice)).toMatchObject({ status: 200 });
    expect((await thief.claim("gw-1", claimCode)).status).not.toBe(200);
    const next = newBrowser();
    await next.signUp("next@example.com");
    expect((await next.claim("gw-1", claimCode)).status).toBe(200);
  });
});
