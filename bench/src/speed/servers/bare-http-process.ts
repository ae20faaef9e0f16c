import type { IncomingMessage, ServerResponse } from "node:http";
import { constantAnswer } from "./constant-answer.js";
import { serve } from "./serve.js";

// The least work that a server can do for a telemetry request: read it, parse it, respond.
const answered = { 200: 0 };

function listener(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answered[200] += 1;
    response.writeHead(200, constantAnswer.headers);
    response.end(constantAnswer.body);
  });
}

serve(listener, answered);
