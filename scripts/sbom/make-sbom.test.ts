import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { expect, it } from "vitest";
import { makeSbom, readIntegrities } from "./make-sbom.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const integrities = readIntegrities(await readFile(join(root, "pnpm-lock.yaml"), "utf8"));
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
const published = ["core", "adapter-express", "store-sqlite", "store-postgres", "device-client"];

interface Sbom {
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components?: readonly { purl: string; hashes?: unknown[]; licenses?: unknown[] }[];
  readonly dependencies: readonly { ref: string; dependsOn?: string[] }[];
}

it.each([
  ...published.map((name) => [name, `packages/${name}`]),
  ["example-server", "examples/server"],
])(
  "the bill of materials of %s is valid CycloneDX and lists every run-time dependency",
  async (name, folder) => {
    const text = await makeSbom(join(root, folder), integrities);
    expect(await validator.validate(text)).toBeNull();
    const sbom = JSON.parse(text) as Sbom;
    const manifest = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    const purls = (sbom.components ?? []).map(({ purl }) => purl.replace("%40", "@"));
    const names = purls.map((purl) => purl.slice("pkg:npm/".length, purl.lastIndexOf("@")));
    expect(sbom.metadata.component.name).toBe(name);
    // An alias, such as `npm:better-sqlite3@13.2.0`, is listed as the package that it names.
    const expected = Object.entries(manifest.dependencies ?? {}).map(
      ([alias, version]) => /^npm:(.+)@/.exec(version)?.[1] ?? alias,
    );
    expect(names).toEqual(expect.arrayContaining(expected));
    expect(names, "no development dependencies").not.toContain("vitest");
    expect(sbom.dependencies).toHaveLength(purls.length + 1);
    const foreign = (sbom.components ?? []).filter(({ purl }) => !purl.includes("device-gateway"));
    for (const { purl, hashes, licenses } of foreign) {
      expect(hashes, purl).toHaveLength(1);
      expect(licenses?.length, purl).toBeGreaterThan(0);
    }
  },
);
