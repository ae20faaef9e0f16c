import { inject } from "vitest";
import { describeCommitOrder } from "../../testing/describe-commit-order.js";
import { openSharedDatabase } from "../../testing/shared-database.js";

describeCommitOrder(() => openSharedDatabase(inject("postgresUrl")));
