import { silentLogger } from "@device-gateway/core";
import { expect, test } from "vitest";
import { makeTempFolder } from "../testing/start-test-server.js";
import { openAccountDatabase } from "./account-database.js";
import { createAuth } from "./create-auth.js";

test("servers that start at once make the accounts' tables together", async () => {
  const folder = await makeTempFolder();
  const databases = await Promise.all([1, 2, 3].map(() => openAccountDatabase(folder)));
  const auths = await Promise.all(
    databases.map(({ handle }) =>
      createAuth({
        database: handle,
        pepper: "p".repeat(32),
        url: "http://127.0.0.1:3000",
        urlIsPublic: true,
        sendMail: async () => {},
        demo: false,
        logger: silentLogger,
      }),
    ),
  );
  expect(auths).toHaveLength(3);
  for (const database of databases) await database.close();
});
