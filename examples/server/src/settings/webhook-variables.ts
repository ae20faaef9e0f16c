import { z } from "zod";

/** Settings of webhooks. */
export const webhookShape = {
  WEBHOOKS: z.boolean().default(false).meta({
    description:
      "Whether events are sent to webhooks, and operators manage them through the API. The command `webhooks` manages them too.",
  }),
  WEBHOOKS_OF_OWNERS: z.boolean().default(false).meta({
    description:
      "Whether customers manage webhooks for their own devices, through the API and the page. Needs `WEBHOOKS`.",
  }),
  WEBHOOKS_INTRANET: z.boolean().default(false).meta({
    description:
      "Whether webhooks may have `http` URLs and private addresses. The server then sends requests to any address in its network, with `WEBHOOKS_OF_OWNERS` on behalf of every customer.",
  }),
};
