import { errAsync, okAsync } from "neverthrow";
import { expect, test } from "vitest";
import type { UserClient } from "../../user/user-client.js";
import { exitCodes } from "../command.js";
import { eraseGateways } from "./erase-gateways.js";

const ids = Array.from({ length: 20 }, (_, index) => `sim-${index}`);

function start() {
  const logged: string[] = [];
  const printed: string[] = [];
  return {
    ...{ logged, printed },
    context: {
      log: (line: string) => logged.push(line),
      print: (line: string) => printed.push(line),
    },
    sleep: async () => {},
  };
}

test("a fleet that cannot be erased yet says why once, and the erasure ends after the first failure", async () => {
  const { context, sleep, logged } = start();
  const tried = new Set<string>();
  const eraseDevice: UserClient["eraseDevice"] = ({ params }) => {
    tried.add(params.deviceId);
    return errAsync({ code: "network", message: "No response from http://x: refused" });
  };
  const erasing = eraseGateways(context, { eraseDevice }, ids, sleep);
  await expect(erasing).rejects.toMatchObject({ exitCode: exitCodes.unavailable });
  expect(logged).toEqual([
    "The gateways cannot be erased yet: No response from http://x: refused. Check --url, and that the server is running. Trying again.",
  ]);
  // One for each worker.
  expect(tried.size).toBe(8);
});

test("a gateway that does not exist counts as erased", async () => {
  const { context, sleep, logged, printed } = start();
  const missing = { code: "device_not_found", message: "", status: 404 } as const;
  const eraseDevice = (({ params }) =>
    params.deviceId === "sim-3" ? errAsync(missing) : okAsync(null)) as UserClient["eraseDevice"];
  await eraseGateways(context, { eraseDevice }, ids, sleep);
  expect({ logged, printed }).toEqual({ logged: [], printed: ["20 gateways erased."] });
});
