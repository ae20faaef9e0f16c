import { expect, test } from "vitest";
import { createTerminal } from "../../terminal/terminal.js";
import { verificationMail } from "./account-mails.js";
import { createPrintedMail } from "./printed-mail.js";

test.each([false, true])(
  "a printed mail cannot send commands to the terminal (coloured: %s)",
  async (isTTY) => {
    let written = "";
    const stream = {
      isTTY,
      write: (text: string) => {
        written += text;
      },
    };
    const send = createPrintedMail(createTerminal(stream, stream, {}));
    const evil = "Ann\u001b[2J\u001b]0;title\u0007\u009b1A\r\u202e";
    await send(verificationMail({ email: "ann@example.com", name: evil }, "https://x.example"));
    await send({ to: `a${evil}@example.com`, subject: `${evil}\nforged`, text: `${evil}\nsecond` });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the title is bold.
    const shown = written.replaceAll(/\u001b\[(1|22)m/g, "");
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(shown).toContain("https://x.example");
    expect(shown).not.toMatch(/^forged/m);
  },
);
