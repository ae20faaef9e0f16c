import type { ActorName } from "./actor-names.js";
import { planted } from "./planted-ids.js";
import { type Expected, nothing, ofOperators, operatorsOnly, type Samples } from "./sample.js";

const hookUrl = "https://example.com/hook";
const notFound = { code: "webhook_not_found", status: 404 };

/** Returns what a request about the operators' webhook, the owner's or the former owner's webhook gets. */
const answerOf =
  (whose: keyof typeof planted.webhooks) =>
  (actor: ActorName): Expected => {
    return actor.startsWith(whoOf[whose]) ? { code: null } : notFound;
  };
/** How the names of the actors begin. */
const whoOf = { operators: "operator", owner: "owner", former: "former owner" } as const;

/** Returns samples about each of the three webhooks. */
function aboutEach<const Rest extends object>(rest: Rest) {
  const about = (whose: keyof typeof planted.webhooks) => ({
    request: () => ({ params: { webhookId: planted.webhooks[whose] }, ...rest }),
    answer: answerOf(whose),
  });
  return [about("operators"), about("owner"), about("former")] as const;
}

/** One message was given up. That of the former owner is about a device that they released, so it is not sent again. */
const retryOne = aboutEach({ body: { messageId: "evt_1" } });
const [, , ofFormer] = retryOne;
const neverAgain = {
  ...ofFormer,
  answer: (actor: ActorName): Expected =>
    actor === "former owner" ? { code: "webhook_message_not_found", status: 404 } : notFound,
};

/** Requests to the routes about webhooks. */
export const webhookSamples = {
  listWebhooks: [nothing, ofOperators],
  createWebhook: [
    { request: () => ({ body: { url: hookUrl } }) },
    {
      request: () => ({ body: { url: hookUrl }, query: { scope: "operator" } }),
      answer: operatorsOnly,
    },
  ],
  readWebhook: aboutEach({}),
  changeWebhook: aboutEach({ body: { enabled: false } }),
  removeWebhook: aboutEach({}),
  rotateWebhookSecret: aboutEach({}),
  testWebhook: aboutEach({}),
  replayWebhook: aboutEach({ body: { from: 0 } }),
  listWebhookAttempts: aboutEach({}),
  listWebhookMessages: aboutEach({ query: { state: "dead" } }),
  retryWebhookMessages: [...aboutEach({ body: {} }), retryOne[0], retryOne[1], neverAgain],
} satisfies Partial<Samples>;
