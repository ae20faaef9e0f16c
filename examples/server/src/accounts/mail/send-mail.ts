export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text that contains the link. */
  readonly text: string;
  /** The Message-ID, if a repetition must be recognised. */
  readonly messageId?: string;
  /** Where one click ends such mails (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

/** The mail port. Resolves once the mail is accepted for delivery. */
export type SendMail = (mail: Mail) => Promise<void>;
