import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { servePage } from "./serve-page.js";

const html = "<!doctype html><title>page</title>";

/** Serves a folder with one page, also compressed, and returns the URL. */
async function serveFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-page-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "index.html"), html);
  await writeFile(join(folder, "index.html.gz"), gzipSync(html));
  await writeFile(join(folder, "index.html.br"), brotliCompressSync(html));
  const server = createServer(express().use(servePage(folder))).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a browser gets the smallest encoding that it accepts", async () => {
  const url = `${await serveFolder()}/devices/gw-1`;
  const encodingFor = async (accepted: string) => {
    const response = await fetch(url, { headers: { "accept-encoding": accepted } });
    expect(await response.text()).toBe(html);
    return response.headers.get("content-encoding");
  };
  expect(await encodingFor("gzip, deflate, br, zstd")).toBe("br");
  expect(await encodingFor("gzip, br;q=0")).toBe("gzip");
  expect(await encodingFor("identity")).toBeNull();
});

test("a view is served although a device's id ends like a file name, and a missing file is not", async () => {
  const url = await serveFolder();
  for (const path of ["/", "/devices/gw.1", "/devices/site.42/settings", "/nowhere"]) {
    const response = await fetch(url + path);
    expect([path, response.status, await response.text()]).toEqual([path, 200, html]);
  }
  for (const path of ["/assets/gone.js", "/assets/", "/robots.txt", "/.env", "/.well-known/x"]) {
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  }
});
