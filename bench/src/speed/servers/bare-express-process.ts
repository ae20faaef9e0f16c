import express from "express";
import { constantAnswer } from "./constant-answer.js";
import { serve } from "./serve.js";

// The same as bare-http-process.ts inside Express: no middleware, one route, no res.json.
const answered = { 200: 0 };
const app = express();

app.post("/api/v1/telemetry", (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answered[200] += 1;
    response.writeHead(200, constantAnswer.headers);
    response.end(constantAnswer.body);
  });
});

serve(app, answered);
