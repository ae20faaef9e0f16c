/** What the demo gateway's label says. A user claims the gateway with it. */
export interface DemoLabel {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** The request header that carries the token of the demo link, `#demo=…`. */
export const demoTokenHeader = "x-demo-token";

/** A command that the server declares (§11), with what the page needs for its form. */
export interface CommandForm {
  readonly name: string;
  /** Default: the name. */
  readonly title?: string;
  readonly description?: string;
  readonly sentBy: readonly ("owner" | "operator")[];
  /**
   * JSON Schema of the payload. The page has a field for each property that is a text, a number, a boolean or a choice of
   * texts. For other schemas, users write the payload as JSON.
   */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The response of `GET /api/site`. The page needs it before it can show anything. */
export interface SiteAnswer {
  /** The page's public URL. */
  readonly url: string;
  readonly account: {
    readonly email: string;
    readonly name: string;
    readonly emailVerified: boolean;
    readonly operator: boolean;
    /** Whether the account has a second factor. */
    readonly secondFactor: boolean;
    /** Whether the account becomes an operator's as soon as it has a second factor. */
    readonly lacksFactor: boolean;
  } | null;
  /** The commands that users can send to devices. Absent if nobody is signed in, or if there are none. */
  readonly commands?: readonly CommandForm[];
  /** Whether users can have webhooks of their own devices. Absent if nobody is signed in. */
  readonly webhooksOfOwners?: boolean;
  /** Null unless the demo runs and the request comes from the server's own machine. */
  readonly demo: {
    /** Whether the request carried the token of the demo link. */
    readonly open: boolean;
    /** Null without that token, and until the demo gateway has registered. */
    readonly label: DemoLabel | null;
  } | null;
}

/** The response of `GET /api/demo/mails`: the e-mails that the demo keeps instead of sending, newest first. */
export interface DemoMailsAnswer {
  readonly mails: readonly {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    /** Epoch milliseconds. */
    readonly at: number;
  }[];
}

/** The response of `GET /api/site/people` to operators: the accounts with the ids or the address of the query. */
export interface PeopleAnswer {
  readonly people: readonly { readonly id: string; readonly email: string }[];
}

/** The response of `POST /api/site/first-contact`: whether the device has registered and now belongs to the user. */
export interface FirstContactAnswer {
  readonly claimed: boolean;
}
