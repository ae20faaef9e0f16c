import { serve } from "./serve.js";

// The least work that a server can do for a request without a body: respond.
const { status, headers, body } = JSON.parse(process.argv[2] ?? "") as {
  status: number;
  headers: Record<string, string>;
  body: string;
};
const answered: Record<number, number> = { [status]: 0 };
const buffer = Buffer.from(body);

serve((_, response) => {
  answered[status] = (answered[status] ?? 0) + 1;
  response.writeHead(status, headers);
  response.end(status === 304 ? undefined : buffer);
}, answered);
