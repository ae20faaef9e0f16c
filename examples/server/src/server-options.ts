import type { JsonObject, Logger } from "@device-gateway/core";
import type { SendMail } from "./accounts/mail/send-mail.js";
import type { OpenData } from "./data/open-data.js";
import type { DeclaredCommands } from "./device-commands/read-commands-file.js";

export interface ServerOptions {
  readonly logger: Logger;
  /** Device configuration by target hardware (§5). */
  readonly configByTargetHardware?: Readonly<Record<string, JsonObject>>;
  /** Delivers the accounts' mail. Default: mails are dropped. */
  readonly sendMail?: SendMail;
  /** How long a stop waits for responses, mails and work in the background, in milliseconds. Default: 4,000. */
  readonly stopMs?: number;
  /** The folder of the built page. Default: the folder in its package. */
  readonly pageFolder?: string;
}

/** What a server opened before its gateway. */
export type ServerData = OpenData & { readonly declared: DeclaredCommands };
