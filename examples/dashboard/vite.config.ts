import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

// One step below the best, which takes ten times as long.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const compressible = /\.(js|css|html|svg)$/;

/** Leaves a compressed twin beside each file, so that the server need not compress. */
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
  // `pnpm dev` beside `npm start`, for whoever works on the page.
  server: { proxy: { "/api": "http://127.0.0.1:3000" } },
  // A build is one of many and says nothing while all is well; `pnpm dev` says where the page is.
  logLevel: command === "build" ? "warn" : "info",
}));
