/** The label of the demo gateway: what it is claimed with. */
export interface DemoLabel {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** The request header with the token of the demo's link, `#demo=…`. */
export const demoTokenHeader = "x-demo-token";

/** What `GET /api/site` answers: all that the page must know before it shows anything. */
export interface SiteAnswer {
  /** Where the page is reached. */
  readonly url: string;
  readonly account: {
    readonly email: string;
    readonly name: string;
    readonly emailVerified: boolean;
    readonly operator: boolean;
  } | null;
  /** Null unless the demo runs and the reader sits at its machine. */
  readonly demo: {
    /** Whether the request had the token of the demo's link. */
    readonly open: boolean;
    /** Null until the demo gateway has registered, and without that token. */
    readonly label: DemoLabel | null;
  } | null;
}

/** What `GET /api/demo/mails` answers: the mails that nobody delivers, newest first. */
export interface DemoMailsAnswer {
  readonly mails: readonly {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    /** Epoch milliseconds. */
    readonly at: number;
  }[];
}
