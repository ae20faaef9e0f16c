import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

// One below the maximum, which takes ten times as long.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const compressible = /\.(js|css|html|svg)$/;

/** Writes a compressed copy beside each file, so that the server does not have to compress. */
const compressFiles: Plugin = {
  name: "compressed",
  apply: "build",
  async writeBundle({ dir = "dist" }, bundle) {
    const files = [...Object.keys(bundle), "theme.js", "icon.svg"];
    await Promise.all(
      files
        .filter((file) => compressible.test(file))
        .map(async (file) => {
          const content = await readFile(`${dir}/${file}`);
          await writeFile(`${dir}/${file}.br`, await promisify(brotliCompress)(content, quality));
          await writeFile(`${dir}/${file}.gz`, await promisify(gzip)(content));
        }),
    );
  },
};

export default defineConfig(({ command }) => ({
  plugins: [compressFiles],
  build: { target: "es2022", modulePreload: { polyfill: false }, reportCompressedSize: false },
  // `pnpm dashboard dev` uses the API of a running `npm start`.
  server: { proxy: { "/api": "http://127.0.0.1:3000" } },
  // A build prints warnings and errors only. The dev server prints its address.
  logLevel: command === "build" ? "warn" : "info",
}));
