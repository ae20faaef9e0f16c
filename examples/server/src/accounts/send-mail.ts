export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text, with the link that it is about. */
  readonly text: string;
}

/** The mail port: resolves when somebody else has taken charge of it. */
export type SendMail = (mail: Mail) => Promise<void>;
