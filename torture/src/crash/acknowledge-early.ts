import type { GatewayStore } from "@device-gateway/core";

/** The planted bug: says that records are stored a little before they are. */
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
