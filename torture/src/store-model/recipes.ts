import type { GatewayStore } from "@device-gateway/core";
import {
  budgetRecipes,
  changeRecipes,
  claimRecipes,
  configRecipes,
  securityEventRecipes,
} from "./claim-recipes.js";
import { deviceRecipes } from "./device-recipes.js";
import type { Recipe, RecipesOf } from "./recipe.js";
import { telemetryRecipes } from "./telemetry-recipes.js";
import { otaEventRecipes, releaseRecipes, updateRecipes } from "./update-recipes.js";

/** The store's own methods; `close` is the command that opens it anew. */
type PortName = Exclude<keyof GatewayStore, "ping" | "close">;

/**
 * How to call every method of every port. One that is missing here does not compile, so that a new
 * one is compared with the model as soon as it is there.
 */
const recipes: { readonly [Port in PortName]: RecipesOf<GatewayStore[Port]> } = {
  devices: deviceRecipes,
  claims: claimRecipes,
  config: configRecipes,
  telemetry: telemetryRecipes,
  budgets: budgetRecipes,
  otaEvents: otaEventRecipes,
  updates: updateRecipes,
  releases: releaseRecipes,
  securityEvents: securityEventRecipes,
  changes: changeRecipes,
};

/** A method of a port with its recipe, its types forgotten: the table above has checked them. */
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

/** Calls a method as its recipe says; a drain sums up what it says. */
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
