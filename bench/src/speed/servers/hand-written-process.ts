import { createSecretKey } from "node:crypto";
import express, { type NextFunction, type Request, type Response } from "express";
import jwt from "jsonwebtoken";
import { z } from "zod";
import type { StorePlace } from "../store/store-place.js";
import { openHandWrittenTable } from "./hand-written-table.js";
import { serve } from "./serve.js";

// What a team writes by hand in a day: the usual middlewares and one INSERT per request.
const { place, tokenKey } = JSON.parse(process.argv[2] ?? "") as {
  place: StorePlace;
  tokenKey: string;
};
const table = await openHandWrittenTable(place);

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
app.post("/api/v1/telemetry", authenticate, async (request, response) => {
  const record = Record.safeParse(request.body);
  if (!record.success) {
    response.status(400).json({ error: z.prettifyError(record.error) });
    return;
  }
  const now = Date.now();
  await table.insert(response.locals["deviceId"] as string, now, JSON.stringify(record.data));
  answered[200] += 1;
  response.json({ accepted: 1, serverTime: new Date(now).toISOString() });
});

serve(app, answered, {
  records: () => table.count(),
});
