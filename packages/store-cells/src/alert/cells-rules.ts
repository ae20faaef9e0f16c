import { type AlertRule, type AlertStore, compareBytes } from "@device-gateway/core/store";
import type { Cells } from "../cells.js";
import type { Copies } from "../copies.js";
import { askAll } from "../fan-out.js";

type Rules =
  | "createRule"
  | "findRule"
  | "listRules"
  | "rulesOf"
  | "ruleScope"
  | "replaceRule"
  | "removeRule";

/** Returns whether a cell has the rule itself, and not a copy. */
const isAboutDevice = (rule: AlertRule | null) => rule !== null && rule.deviceId !== null;
const byId = (a: AlertRule, b: AlertRule) => compareBytes(a.id, b.id);

/**
 * A rule about one device is in the cell of the device, because the release of the device ends it. All others are at
 * home, and each cell has copies of them.
 */
export function createCellsRules(
  { home, cells, of }: Cells,
  copies: Copies,
): Pick<AlertStore, Rules> {
  const storeOf = ({ deviceId }: AlertRule) => (deviceId === null ? home : of(deviceId));
  /** Names the rule in the event, by which the cells find out what to copy. */
  const named = <Input extends { event: Parameters<AlertStore["removeRule"]>[0]["event"] }>(
    id: string,
    input: Input,
  ): Input => ({
    ...input,
    event: { ...input.event, details: { ...input.event.details, ruleId: id } },
  });

  /** Returns the rules of owners about single devices, without the copies of others. */
  async function deviceRules(
    ownerIds: readonly (string | null)[],
    among = cells,
  ): Promise<readonly AlertRule[]> {
    const found = await Promise.all(among.map(({ alerts }) => alerts.rulesOf(ownerIds)));
    return found.flat().filter(({ deviceId }) => deviceId !== null);
  }

  const rulesOf = async (ownerIds: readonly (string | null)[]) =>
    [...(await home.alerts.rulesOf(ownerIds)), ...(await deviceRules(ownerIds))].sort(byId);

  return {
    async createRule(input) {
      const { rule, most } = input;
      const store = storeOf(rule);
      // The store counts the rules that it has. In a cell, these include the copies.
      const elsewhere = await deviceRules(
        [rule.ownerId],
        cells.filter((cell) => cell !== store),
      );
      const outcome = await store.alerts.createRule({
        ...named(rule.id, input),
        most: most - elsewhere.length,
      });
      if (outcome.kind === "created" && store === home) await copies.copySoon(input.event.at);
      return outcome;
    },

    findRule: (id) =>
      askAll(
        [home, ...cells],
        async (store) => {
          const rule = await store.alerts.findRule(id);
          // A cell may still have the copy of a rule that is removed at home.
          return store === home || isAboutDevice(rule) ? rule : null;
        },
        (rule) => rule !== null,
      ),

    async listRules({ ownerId, after, limit }) {
      const rules = await rulesOf([ownerId]);
      return rules.filter(({ id }) => compareBytes(id, after) > 0).slice(0, limit);
    },

    rulesOf,

    async ruleScope() {
      // A cell that is down must not hide that there are rules. Each cell has copies of the rules of the home.
      const { any, fleet } = await home.alerts.ruleScope();
      if (any) return { any, fleet };
      const ofCell = await askAll(
        cells,
        ({ alerts }) => alerts.ruleScope(),
        (scope) => scope.any,
      );
      return { any: ofCell.any, fleet };
    },

    async replaceRule(input) {
      const store = storeOf(input.rule);
      const outcome = await store.alerts.replaceRule(named(input.rule.id, input));
      if (outcome.kind === "replaced" && store === home) await copies.copySoon(input.event.at);
      return outcome;
    },

    async removeRule(input) {
      const { id, event } = input;
      if ((await home.alerts.findRule(id)) === null) {
        return askAll(
          cells,
          ({ alerts }) => removeOwn(alerts, named(id, input)),
          ({ kind }) => kind !== "unknown",
        );
      }
      // Removes the rule at home first. If that fails, the rule stays in force in all cells. If it succeeds, the copies
      // are removed afterwards.
      const outcome = await home.alerts.removeRule(named(id, input));
      if (outcome.kind === "removed") await copies.copySoon(event.at);
      return outcome;
    },
  };
}

/** Removes a rule about a device, but not a copy that another process is about to drop. */
async function removeOwn(
  alerts: AlertStore,
  input: Parameters<AlertStore["removeRule"]>[0],
): ReturnType<AlertStore["removeRule"]> {
  return isAboutDevice(await alerts.findRule(input.id))
    ? alerts.removeRule(input)
    : { kind: "unknown" };
}
