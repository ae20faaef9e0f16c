import { inject } from "vitest";
import { describeCommitOrder } from "../testing/describe-commit-order.js";

describeCommitOrder(() => inject("postgresUrl"));
