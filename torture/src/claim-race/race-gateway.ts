import {
  createGateway,
  type Gateway,
  type GatewayStore,
  generateSecrets,
} from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createFakeClock, createSeededRandom } from "@device-gateway/testing";
import { createIssuer, type Issuer } from "../issuer.js";

/** Whoever signs in for a race; its clock stands still, in every process alike. */
export const raceIssuer = (): Issuer => createIssuer(createFakeClock());

/** A gateway that any number of processes can open alike. */
export const createRaceGateway = (store: GatewayStore): Promise<Gateway> =>
  createGateway({
    store,
    clock: createFakeClock(),
    secrets: generateSecrets(createSeededRandom(1)),
    scryptCost: { logN: 4, r: 8, p: 1 },
    // All of them at once is the point: none is to be turned away because a queue is full.
    slowHash: createLibuvSlowHash(),
    limits: { hashesQueued: 1_000 },
    customers: raceIssuer().authenticator,
  });
