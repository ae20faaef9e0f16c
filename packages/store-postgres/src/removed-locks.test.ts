import { inject } from "vitest";
import { describeRemovedLocks } from "./testing/describe-removed-locks.js";

describeRemovedLocks(() => inject("postgresUrl"));
