/** `pnpm sbom [folder]` writes a bill of materials for each published package and for the bundled server. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeSbom, readIntegrities } from "./make-sbom.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = resolve(process.env["INIT_CWD"] ?? ".", process.argv[2] ?? "sbom");
const integrities = readIntegrities(await readFile(join(root, "pnpm-lock.yaml"), "utf8"));
const packages = await readdir(join(root, "packages"));
const folders = [
  ...packages.map((name) => join(root, "packages", name)),
  join(root, "examples/server"),
];
await mkdir(target, { recursive: true });
for (const folder of folders) {
  const file = join(target, `${basename(folder)}.cdx.json`);
  await writeFile(file, await makeSbom(folder, integrities));
  console.log(`Wrote ${file}.`);
}
