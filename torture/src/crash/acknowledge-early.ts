import type { GatewayStore } from "@device-gateway/core";

/** The planted bug: acknowledges records 50 ms before it stores them. */
export const acknowledgeEarly = (store: GatewayStore): GatewayStore => ({
  ...store,
  telemetry: {
    ...store.telemetry,
    async append(input) {
      setTimeout(() => void store.telemetry.append(input).catch(() => {}), 50);
      return { kind: "appended", verdicts: input.records.map(() => "stored") };
    },
  },
});
