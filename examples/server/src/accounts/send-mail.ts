export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text that contains the link. */
  readonly text: string;
}

/** The mail port. Resolves once the mail is accepted for delivery. */
export type SendMail = (mail: Mail) => Promise<void>;
