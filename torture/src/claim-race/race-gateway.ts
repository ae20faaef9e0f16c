import {
  createGateway,
  type Gateway,
  type GatewayStore,
  generateSecrets,
} from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createFakeClock, createSeededRandom } from "@device-gateway/testing";
import { createIssuer, type Issuer } from "../issuer.js";

/** Issues the claimants' tokens. Its clock stands still at the same time in every process. */
export const raceIssuer = (): Issuer => createIssuer(createFakeClock());

/** Creates a gateway with the same secrets and clock in every process. */
export const createRaceGateway = (store: GatewayStore): Promise<Gateway> =>
  createGateway({
    store,
    clock: createFakeClock(),
    secrets: generateSecrets(createSeededRandom(1)),
    scryptCost: { logN: 4, r: 8, p: 1 },
    // All claims must run at once, so a full queue must not refuse any. Neither must a budget: an attempt that the store
    // could not finish stays counted, and the clock stands still.
    slowHash: createLibuvSlowHash(),
    limits: {
      hashesQueued: 1_000,
      authPerMinute: 1_000_000,
      dashboardPerMinute: 1_000_000,
      claimTriesPerCustomerAndDevice: 1_000,
      claimTriesPerCustomer: 100_000,
      claimTriesPerDevice: 100_000,
    },
    customers: raceIssuer().authenticator,
  });
