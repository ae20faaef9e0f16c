import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import { verificationMail } from "./account-mails.js";
import { createSmtpMail } from "./smtp-mail.js";

interface Delivery {
  readonly user: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

/** A mail server that takes mail of one user, and has no room for `full@example.com`. */
async function startMailServer() {
  const deliveries: Delivery[] = [];
  const server = new SMTPServer({
    // Nothing secret goes over loopback, and a certificate of our own nobody would trust.
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth({ username = "", password }, _session, done) {
      if (password === "s3cret") done(null, { user: username });
      else done(new Error("Wrong password"));
    },
    onRcptTo({ address }, _session, done) {
      done(address === "full@example.com" ? new Error("Mailbox full") : null);
    },
    onData(stream, { user, envelope }, done) {
      void text(stream).then((source) => {
        deliveries.push({
          user: String(user),
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source,
        });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  const urlFor = (password: string) => `smtp://gateway:${password}@127.0.0.1:${port}`;
  return { deliveries, urlFor };
}

/** The text of a mail that was sent as quoted-printable. */
const readText = (source: string) =>
  source
    .slice(source.indexOf("\r\n\r\n"))
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

test("a mail goes through a mail server, its link whole", async () => {
  const { deliveries, urlFor } = await startMailServer();
  const send = createSmtpMail(urlFor("s3cret"), "Device Gateway <no-reply@example.com>");
  const link = `https://gateway.example.com/api/auth/verify-email?token=${"eyJ.".repeat(60)}&callbackURL=%2F`;
  await send(verificationMail({ email: "ann@example.com", name: "Ann" }, link));
  expect(deliveries).toMatchObject([
    { user: "gateway", from: "no-reply@example.com", to: ["ann@example.com"] },
  ]);
  const { source = "" } = deliveries[0] ?? {};
  expect(source).toContain("From: Device Gateway <no-reply@example.com>");
  expect(source).toContain("Subject: Verify your e-mail address");
  expect(readText(source)).toContain(link);
});

test("what the mail server does not take rejects", async () => {
  const { deliveries, urlFor } = await startMailServer();
  const mail = verificationMail({ email: "ann@example.com", name: "Ann" }, "https://x.example");
  const from = "no-reply@example.com";
  await expect(createSmtpMail(urlFor("wrong"), from)(mail)).rejects.toThrow(/Wrong password/);
  const full = { ...mail, to: "full@example.com" };
  await expect(createSmtpMail(urlFor("s3cret"), from)(full)).rejects.toThrow(/Mailbox full/);
  expect(deliveries).toEqual([]);
});
