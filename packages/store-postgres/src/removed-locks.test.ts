import { inject } from "vitest";
import { describeRemovedLocks } from "./testing/describe-removed-locks.js";
import { openSharedDatabase } from "./testing/shared-database.js";

describeRemovedLocks(() => openSharedDatabase(inject("postgresUrl")));
