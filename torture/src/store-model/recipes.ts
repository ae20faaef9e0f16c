import type { GatewayStore } from "@device-gateway/core";
import { alertRecipes } from "./alert-recipes.js";
import {
  budgetRecipes,
  changeRecipes,
  claimRecipes,
  configRecipes,
  securityEventRecipes,
} from "./claim-recipes.js";
import { commandRecipes } from "./command-recipes.js";
import { deviceRecipes } from "./device-recipes.js";
import { followerRecipes } from "./follower-recipes.js";
import { metadataRecipes } from "./metadata-recipes.js";
import { metricRecipes } from "./metric-recipes.js";
import type { Recipe, RecipesOf } from "./recipe.js";
import { refusalRecipes } from "./refusal-recipes.js";
import { telemetryRecipes } from "./telemetry-recipes.js";
import { otaEventRecipes, releaseRecipes, updateRecipes } from "./update-recipes.js";
import { webhookRecipes } from "./webhook-recipes.js";

/** The ports of a store. `ping` and `close` belong to the command `reopen`, a gateway checks its key only once, and no store here has a replica or several databases. */
type PortName = Exclude<
  keyof GatewayStore,
  "ping" | "close" | "keepKeyCheck" | "openReads" | "settle"
>;

/**
 * How to call every method of every port. A new method does not compile until it has a recipe, so that it is
 * compared with the model.
 */
const recipes: { readonly [Port in PortName]: RecipesOf<GatewayStore[Port]> } = {
  devices: deviceRecipes,
  claims: claimRecipes,
  config: configRecipes,
  metadata: metadataRecipes,
  metrics: metricRecipes,
  commands: commandRecipes,
  telemetry: telemetryRecipes,
  refusals: refusalRecipes,
  budgets: budgetRecipes,
  otaEvents: otaEventRecipes,
  updates: updateRecipes,
  releases: releaseRecipes,
  alerts: alertRecipes,
  securityEvents: securityEventRecipes,
  changes: changeRecipes,
  followers: followerRecipes,
  webhooks: webhookRecipes,
};

/** A method of a port with its recipe. The table above has checked the types. */
export interface Method {
  readonly port: PortName;
  readonly name: string;
  readonly recipe: Recipe<unknown, unknown>;
}

export const methods: readonly Method[] = Object.entries(recipes).flatMap(([port, ofPort]) =>
  Object.entries(ofPort).map(([name, recipe]) => ({
    port: port as PortName,
    name,
    recipe: recipe as unknown as Recipe<unknown, unknown>,
  })),
);

/** Calls a method as its recipe says. A method that drains is repeated, and its counts are added. */
export async function call(
  { port, name, recipe }: Method,
  store: GatewayStore,
  input: unknown,
): Promise<unknown> {
  const ofPort = store[port] as unknown as Record<string, (input: unknown) => Promise<unknown>>;
  const run = () => (ofPort[name] as (input: unknown) => Promise<unknown>)(input);
  await recipe.first?.(store, input);
  const { drains } = recipe;
  if (drains === undefined) return run();
  let sum = 0;
  for (;;) {
    const count = drains(await run());
    sum += count;
    if (count === 0) return sum;
  }
}
