import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Which notifications a link in a mail ends: of one rule, or of all rules of the owner. */
export interface Unsubscription {
  readonly ownerId: string;
  readonly ruleId: string | null;
}

export interface UnsubscribeTokens {
  create(unsubscription: Unsubscription): string;
  /** Returns null if the server did not create the token. */
  read(token: string): Unsubscription | null;
}

/** Creates tokens that are signed with a key derived from the gateway's pepper. They do not expire. */
export function createUnsubscribeTokens(pepper: string): UnsubscribeTokens {
  const key = Buffer.from(hkdfSync("sha256", pepper, "", "device-gateway alert mails", 32));
  const sign = (text: string) => createHmac("sha256", key).update(text).digest();
  return {
    create({ ownerId, ruleId }) {
      const text = Buffer.from(JSON.stringify([ownerId, ruleId])).toString("base64url");
      return `${text}.${sign(text).toString("base64url")}`;
    },
    read(token) {
      const [text = "", signature = ""] = token.split(".");
      const expected = sign(text);
      const given = Buffer.from(signature, "base64url");
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const [ownerId, ruleId] = JSON.parse(Buffer.from(text, "base64url").toString()) as [
        string,
        string | null,
      ];
      return { ownerId, ruleId };
    },
  };
}
