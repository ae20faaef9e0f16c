import { createSecretKey } from "node:crypto";
import Database from "better-sqlite3";
import express, { type NextFunction, type Request, type Response } from "express";
import jwt from "jsonwebtoken";
import { z } from "zod";
import { serve } from "./serve.js";

// What a team writes by hand in a day: the middlewares that everybody takes, an INSERT a request.
const { file, tokenKey } = JSON.parse(process.argv[2] ?? "") as { file: string; tokenKey: string };

const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
  CREATE TABLE telemetry (
    id INTEGER PRIMARY KEY,
    device_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX telemetry_by_device ON telemetry (device_id, received_at);
`);
const insert = database.prepare<[string, number, string]>(
  "INSERT INTO telemetry (device_id, received_at, data) VALUES (?, ?, ?)",
);

const key = createSecretKey(Buffer.from(tokenKey, "base64url"));
const claims = { issuer: "device-gateway", audience: "device-gateway:device" };

const Record = z.looseObject({
  bmsLinkUp: z.boolean(),
  voltage: z.number().optional(),
  current: z.number().optional(),
  soc: z.number().min(0).max(100).optional(),
  bms: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])).optional(),
  cellVoltages: z.array(z.object({ cell: z.int(), voltage: z.number() })).optional(),
});

function authenticate(request: Request, response: Response, next: NextFunction): void {
  const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
  try {
    const payload = jwt.verify(token, key, { algorithms: ["HS256"], ...claims });
    response.locals["deviceId"] = payload.sub;
    next();
  } catch {
    response.status(401).json({ error: "Unauthorized" });
  }
}

const answered = { 200: 0 };
const app = express();
app.use(express.json({ limit: "256kb" }));
app.post("/api/v1/telemetry", authenticate, (request, response) => {
  const record = Record.safeParse(request.body);
  if (!record.success) {
    response.status(400).json({ error: z.prettifyError(record.error) });
    return;
  }
  const now = Date.now();
  insert.run(response.locals["deviceId"] as string, now, JSON.stringify(record.data));
  answered[200] += 1;
  response.json({ accepted: 1, serverTime: new Date(now).toISOString() });
});

serve(app, answered, {
  records: () => database.prepare("SELECT count(*) FROM telemetry").pluck().get(),
});
