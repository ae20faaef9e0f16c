import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Writes the address of the repository into the package.json of each package. npm refuses a provenance whose repository
 * differs from the one of the package, so the release workflow passes its own address.
 *
 * @example
 * await nameRepository("packages", "https://git.example.com/iot/device-gateway");
 */
export async function nameRepository(packages: string, address: string): Promise<void> {
  for (const name of await readdir(packages)) {
    const file = join(packages, name, "package.json");
    const manifest = JSON.parse(await readFile(file, "utf8")) as object;
    const directory = `packages/${name}`;
    const named = {
      ...manifest,
      homepage: `${address}/tree/main/${directory}#readme`,
      bugs: { url: `${address}/issues` },
      repository: { type: "git", url: `git+${address}.git`, directory },
    };
    await writeFile(file, `${JSON.stringify(named, null, 2)}\n`);
  }
}

const isProgram = import.meta.url === pathToFileURL(process.argv[1] ?? "").href;
if (isProgram) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (!server || !repository) {
    throw new Error("Set GITHUB_SERVER_URL and GITHUB_REPOSITORY, as GitHub Actions does.");
  }
  const packages = fileURLToPath(new URL("../packages", import.meta.url));
  await nameRepository(packages, `${server}/${repository}`);
}
