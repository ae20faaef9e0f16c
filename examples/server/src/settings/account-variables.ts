import { z } from "zod";
import { isDecodableUrl, undecodableUrl } from "./url-escapes.js";

const addresses = z
  .string()
  .transform((list) => list.split(",").map((address) => address.trim().toLowerCase()))
  .pipe(z.array(z.email()).max(100));

const isSmtpUrl = (text: string) => URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol);

/** Settings of the accounts. */
export const accountShape = {
  ACCOUNTS: z.boolean().default(true).meta({
    description: "Whether people can sign up and sign in, on the page and through the API.",
  }),
  OPERATOR_EMAILS: addresses.optional().meta({
    description: "Addresses whose accounts are operators once the address is verified.",
    form: "addresses such as ann@example.com,bob@example.com",
    unless: "none",
  }),
  OPERATORS_NEED_SECOND_FACTOR: z.boolean().default(false).meta({
    description: "Whether an operator's account has the role only while it has a second factor.",
  }),
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, {
      error:
        "must be the URL of your mail server, such as smtps://user:password@mail.example.com. Correct it or unset it.",
      abort: true,
    })
    .refine(isDecodableUrl, { error: undecodableUrl })
    .optional()
    .meta({
      description: "Mail server for verification mails, password resets and notices.",
      form: "smtp:// or smtps://",
      unless: "mails are shown on the terminal",
      concealed: true,
    }),
  MAIL_FROM: z
    .string()
    .regex(/[^\s<>@]@[^\s<>@]/)
    .default("Device Gateway <no-reply@localhost>")
    .meta({ description: "Sender of the mails.", form: "an address" }),
};
