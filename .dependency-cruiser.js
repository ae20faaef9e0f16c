/**
 * What each package's sources may import beside themselves: the package table of the
 * architecture. Tests may import what they like.
 */
const mayImport = {
  core: ["zod", "jose", "@noble/hashes", "neverthrow", "ipaddr.js", "@standard-schema/spec"],
  "adapter-express": ["core", "core/node", "express"],
  "store-sqlite": ["core/store", "better-sqlite3"],
  "store-postgres": ["core/store", "pg"],
  alerts: ["core", "core/store"],
  webhooks: ["core", "core/store", "ipaddr.js"],
  "store-memory": ["core/store", "@noble/hashes"],
  "store-cells": ["core/store"],
  "telemetry-sink": ["core/store"],
  // `testing/control` is an optional peer that only the command `test-cloud` loads.
  "device-client": ["core/contract", "@noble/hashes", "neverthrow", "testing/control"],
};

const doors = {
  core: "^packages/core/src/index\\.ts$",
  "core/contract": "^packages/core/src/contract/index\\.ts$",
  "core/node": "^packages/core/src/node/index\\.ts$",
  "core/store": "^packages/core/src/store\\.ts$",
  "testing/control": "^packages/testing/src/control/index\\.ts$",
};

/** Node's own modules are needed at the machine's edge only; the rest runs on any runtime. */
const portable = ["core", "store-memory", "store-cells", "device-client"];
/** Every folder of core that isn't there for the outside: device, claim, telemetry, ports, … */
const domain = "^packages/core/src/(?!contract/|http/|api/|node/)[^/]+/";
/** A package's tests and what they share. */
const tests =
  "\\.test\\.ts$|^(packages|examples)/[^/]+/src/testing/|^packages/core/src/.+/testing/";
const testing = "^packages/testing/|^(packages|examples)/[^/]+/src/testing/";

const inPackage = (name) => `^packages/${name}/src/`;
const npm = (name) => `(^|/)node_modules/(@types/)?${name}/`;

export default {
  forbidden: [
    ...Object.entries(mayImport).map(([name, allowed]) => ({
      name: `imports-of-${name}`,
      severity: "error",
      comment: `${name} may import ${allowed.join(", ")} and nothing else.`,
      from: { path: inPackage(name), pathNot: [tests, testing] },
      to: {
        dependencyTypesNot: ["core"],
        pathNot: [inPackage(name), ...allowed.map((other) => doors[other] ?? npm(other))],
      },
    })),
    {
      name: "portable",
      severity: "error",
      comment: "node:* only in core/node, and the client's node and cli.",
      from: {
        path: portable.map(inPackage),
        pathNot: [tests, "^packages/core/src/node/", "^packages/device-client/src/(node|cli)/"],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "contract-is-data",
      severity: "error",
      comment: "The contract describes the API as data, and imports only zod.",
      from: { path: "^packages/core/src/contract/", pathNot: tests },
      to: { pathNot: ["^packages/core/src/contract/", npm("zod")] },
    },
    {
      name: "domain-knows-no-transport",
      severity: "error",
      comment:
        "Imports go from HTTP to use cases to ports. Domain code imports neither HTTP code nor stores.",
      from: { path: domain, pathNot: tests },
      to: { path: "^packages/core/src/(http|api|node)/" },
    },
    {
      name: "testing-stays-out",
      severity: "error",
      comment: "Only tests import test helpers.",
      from: {
        path: "^(packages|examples)/",
        pathNot: [
          ...[
            tests,
            testing,
            "^examples/harness/",
            "^examples/dashboard/test/",
            "^(bench|torture)/",
          ],
          "^packages/device-client/src/cli/test-cloud/",
        ],
      },
      to: { path: testing },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "resolvable",
      severity: "error",
      comment: "An import that cannot be resolved cannot be checked.",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    exclude: "^(packages|examples)/[^/]+/(dist|bin)/",
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
