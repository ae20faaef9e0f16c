import type { FuzzScene } from "./fuzz-world.js";
import type { Provocation, Specials } from "./provocation.js";

const silenceRule = { name: "Silent", condition: { kind: "silent", intervals: 5 } };
const mostRules = 50;
const rulesPath = "/dashboard/alert-rules";

async function createRule({ send, tokens }: FuzzScene): Promise<string> {
  const token = tokens.owner;
  const reply = await send({ method: "POST", path: rulesPath, token, body: silenceRule });
  const { rule } = JSON.parse(reply.body) as { rule?: { id: string } };
  return rule?.id ?? "refused";
}

async function removeRules({ send, tokens }: FuzzScene): Promise<void> {
  const token = tokens.owner;
  const { body } = await send({ method: "GET", path: rulesPath, token });
  const { rules = [] } = JSON.parse(body) as { rules?: { id: string }[] };
  for (const { id } of rules) await send({ method: "DELETE", path: `${rulesPath}/${id}`, token });
}

async function freshRule(scene: FuzzScene): Promise<string> {
  await removeRules(scene);
  return createRule(scene);
}

const freshAlert = async (scene: FuzzScene) => scene.fire(await freshRule(scene));

/** Only operators may list the rules and alerts of the operators. */
const ofOperators: Provocation = () => ({ query: { scope: "operator" } });

/** How to cause the statuses of the routes about alerts. */
export const alertProvocations = {
  listAlertRules: { 403: ofOperators },
  createAlertRule: {
    201: async (scene) => {
      await removeRules(scene);
      return { body: silenceRule };
    },
    409: async (scene) => {
      for (let n = 0; n < mostRules; n++) await createRule(scene);
      return { body: silenceRule };
    },
    404: () => ({ body: { ...silenceRule, deviceId: "never-registered" } }),
  },
  changeAlertRule: {
    200: async (scene) => ({
      params: { ruleId: await freshRule(scene) },
      body: { name: "Cellar", mutedUntil: null },
    }),
    404: () => ({ params: { ruleId: "never-created" }, body: { name: "Cellar" } }),
  },
  removeAlertRule: {
    204: async (scene) => ({ params: { ruleId: await freshRule(scene) } }),
    404: () => ({ params: { ruleId: "never-created" } }),
  },
  listAlerts: {
    200: ({ device }) => ({ query: { deviceId: device.deviceId, state: "all" } }),
    403: ofOperators,
  },
  acknowledgeAlert: {
    200: async (scene) => ({ params: { alertId: await freshAlert(scene) } }),
    404: () => ({ params: { alertId: "never-fired" } }),
  },
  muteAlert: {
    200: async (scene) => ({
      params: { alertId: await freshAlert(scene) },
      body: { until: "2031-01-01T00:00:00Z" },
    }),
    404: () => ({ params: { alertId: "never-fired" }, body: { until: null } }),
  },
} satisfies Partial<Specials>;
