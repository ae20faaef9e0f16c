import { err, ok, type Result } from "neverthrow";
import type { ErrorCode } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { BeforeHooks } from "./before-hooks.js";

type HookInput<Name extends keyof BeforeHooks> = Parameters<NonNullable<BeforeHooks[Name]>>[0];

/** Calls a hook if the embedder passed it. Converts its refusal to a failure with the given code. */
export async function runHook<Name extends keyof BeforeHooks, Code extends ErrorCode>(
  hooks: BeforeHooks,
  name: Name,
  code: Code,
  input: HookInput<Name>,
): Promise<Result<void, Failure<Code>>> {
  const hook = hooks[name] as ((input: HookInput<Name>) => unknown) | undefined;
  const refusal = (await hook?.(input)) as Failure["refusal"];
  return refusal ? err({ code, refusal }) : ok(undefined);
}
