import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { collectPackages, idOf, type Manifest } from "./collect-packages.js";

/** Reads the SHA-512 checksum of each registry package from the lock file, by `name@version`. */
export function readIntegrities(lockFile: string): ReadonlyMap<string, string> {
  const entry =
    /^ {2}'?(@?[^@'\s]+@[^:'(]+)'?:\n {4}resolution: \{integrity: sha512-([^,}]+)[,}]/gm;
  return new Map([...lockFile.matchAll(entry)].map(([, id = "", hash = ""]) => [id, hash]));
}

const isExpression = (license: string) => {
  if (!/ (OR|AND|WITH) /.test(license))
    throw new Error("A single licence is not an SPDX expression.");
};
const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(isExpression),
);

function toComponent(manifest: Manifest, integrity: string | undefined): Models.Component {
  const component = builder.makeComponent({ ...manifest }, Enums.ComponentType.Library);
  if (component === undefined)
    throw new Error(
      `${idOf(manifest)} cannot be converted to a component. Check its package.json.`,
    );
  const purl = `pkg:npm/${manifest.name.replace("@", "%40")}@${encodeURIComponent(manifest.version)}`;
  component.purl = purl;
  component.bomRef.value = purl;
  if (integrity !== undefined) {
    const hex = Buffer.from(integrity, "base64").toString("hex");
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], hex);
  }
  return component;
}

/**
 * Returns the bill of materials of a package (CycloneDX 1.6, JSON): its run-time dependencies with licences and the
 * checksums of the lock file. The same dependencies always give the same text.
 */
export async function makeSbom(
  folder: string,
  integrities: ReadonlyMap<string, string>,
): Promise<string> {
  const packages = await collectPackages(folder);
  const components = new Map(
    packages.map(({ manifest }) => {
      const id = idOf(manifest);
      return [id, toComponent(manifest, integrities.get(id))];
    }),
  );
  for (const { manifest, needs } of packages) {
    const { dependencies } = components.get(idOf(manifest)) as Models.Component;
    for (const id of needs) dependencies.add((components.get(id) as Models.Component).bomRef);
  }
  const [subject, ...others] = components.values();
  const metadata = new Models.Metadata({ ...(subject && { component: subject }) });
  const bom = new Models.Bom({
    metadata,
    components: new Models.ComponentRepository(others),
  });
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalizer);
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}
