import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { passwordMail, verificationMail } from "./account-mails.js";
import { createSmtpMail } from "./smtp-mail.js";

interface Delivery {
  readonly user: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

/** Starts a mail server that accepts mail from one user. The mailbox of `full@example.com` is full. */
async function startMailServer() {
  const deliveries: Delivery[] = [];
  const server = new SMTPServer({
    // Loopback carries no real secret, and clients would not trust a self-signed certificate.
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

/** Starts a server that accepts a connection and sends nothing by itself. */
async function startSilentServer() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const connected = once(server, "connection") as Promise<[Socket]>;
  return { port, connected };
}

/** Decodes the text of a mail, base64 or quoted-printable, as UTF-8. */
function decodeText(source: string): string {
  const [head = "", ...body] = source.split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/^content-transfer-encoding: base64/im.test(head))
    return Buffer.from(text, "base64").toString();
  return Buffer.from(readText(source).slice(4), "latin1").toString();
}

/** Decodes a quoted-printable text to one character per byte. */
const readText = (source: string) =>
  source
    .slice(source.indexOf("\r\n\r\n"))
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

test("a mail server receives the mail with its link intact", async () => {
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

test.each([
  ["a line", "Ann\n\nYour account is locked"],
  ["a header", "Ann\r\nBcc: eve@evil.test"],
  ["a terminal command", "Ann\u001b[2J\u009b1A"],
  ["another text direction", "Ann\u202etset.live"],
  ["a paragraph", "Ann\u2029Your account is locked"],
])("a name cannot add to a mail: %s", async (_, name) => {
  const { deliveries, urlFor } = await startMailServer();
  const send = createSmtpMail(urlFor("s3cret"), "no-reply@example.com");
  const plain = { email: "ann@example.com", name: "Ann" };
  for (const mail of [verificationMail, passwordMail]) {
    await send(mail(plain, "https://x.example"));
    await send(mail({ ...plain, name }, "https://x.example"));
  }
  expect(deliveries).toHaveLength(4);
  for (const { to, source } of deliveries) {
    expect(to).toEqual(["ann@example.com"]);
    expect(source).not.toMatch(/^Bcc:/im);
    const text = decodeText(source);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  }
  const lineCounts = deliveries.map(({ source }) => decodeText(source).split("\r\n").length);
  expect(lineCounts[1]).toBe(lineCounts[0]);
  expect(lineCounts[3]).toBe(lineCounts[2]);
});

test("a name cannot add a link to a mail", async () => {
  for (const name of ["see https://evil.test", "evil.test", "a@evil.test", "//evil"]) {
    const mail = verificationMail({ email: "ann@example.com", name }, "https://x.example");
    expect(mail.text).toMatch(/^Hello,\n/);
  }
  const mail = verificationMail({ email: "ann@example.com", name: "Dr. Ann" }, "https://x.example");
  expect(mail.text).toMatch(/^Hello Dr\. Ann,\n/);
});

test("control characters are removed from any mail before it is sent", async () => {
  const { deliveries, urlFor } = await startMailServer();
  const evil = "x\r\nBcc: eve@evil.test\u001b[2J";
  const send = createSmtpMail(urlFor("s3cret"), "no-reply@example.com");
  await send({ to: "ann@example.com", subject: evil, text: `first\n${evil}` });
  const { to, source = "" } = deliveries[0] ?? {};
  expect(to).toEqual(["ann@example.com"]);
  expect(source.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/im);
  expect(source).not.toContain("\u001b");
});

test("sending waits for a mail server that does not answer for at most ten seconds", async () => {
  const { port, connected } = await startSilentServer();
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  const send = createSmtpMail(`smtp://127.0.0.1:${port}`, "no-reply@example.com");
  const sending = send({ to: "ann@example.com", subject: "s", text: "t" });
  const [socket] = await connected;
  const waits = setTimer.mock.calls.map(([, ms = 0]) => ms);
  expect(waits.length).toBeGreaterThan(0);
  expect(waits.filter((ms) => ms > 10_000)).toEqual([]);
  socket.destroy();
  await expect(sending).rejects.toThrow();
});

test("sending waits for a mail server that stops answering for at most a minute", async () => {
  const { port, connected } = await startSilentServer();
  const setIdleTime = vi.spyOn(Socket.prototype, "setTimeout");
  const send = createSmtpMail(`smtp://127.0.0.1:${port}`, "no-reply@example.com");
  const sending = send({ to: "ann@example.com", subject: "s", text: "t" });
  const [socket] = await connected;
  socket.write("220 mail.example.com\r\n");
  // The client has read the greeting and waits for the next response.
  await once(socket, "data");
  const sockets = new Set(setIdleTime.mock.contexts as Socket[]);
  const ofClient = [...sockets].filter(({ remotePort }) => remotePort === port);
  expect(ofClient.map(({ timeout }) => timeout)).toEqual([60_000]);
  socket.destroy();
  await expect(sending).rejects.toThrow();
});

test("sending rejects if the mail server rejects the mail", async () => {
  const { deliveries, urlFor } = await startMailServer();
  const mail = verificationMail({ email: "ann@example.com", name: "Ann" }, "https://x.example");
  const from = "no-reply@example.com";
  await expect(createSmtpMail(urlFor("wrong"), from)(mail)).rejects.toThrow(/Wrong password/);
  const full = { ...mail, to: "full@example.com" };
  await expect(createSmtpMail(urlFor("s3cret"), from)(full)).rejects.toThrow(/Mailbox full/);
  expect(deliveries).toEqual([]);
});
