import { z } from "zod";

/** Settings of monitoring and shutdown. */
export const operationShape = {
  METRICS_PORT: z.int().min(0).max(65_535).optional().meta({
    description: "Port for `/metrics` in the Prometheus format. 0 picks a free one.",
    unless: "no metrics",
  }),
  METRICS_HOST: z.string().regex(/^\S+$/).default("127.0.0.1").meta({
    description:
      "Address that `/metrics` listens on. Everybody who can reach it can read the metrics.",
    form: "a name or an address",
  }),
  DRAIN_SECONDS: z.int().min(0).max(300).default(0).meta({
    unit: "seconds",
    description:
      "How long the server keeps serving after SIGTERM while `/readyz` returns 503, so that load balancers notice.",
  }),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/)
    .optional()
    .meta({
      description:
        "Where to report a vulnerability of this server. It is served in `/.well-known/security.txt` (RFC 9116).",
      form: "mailto:security@example.com or an https URL",
      unless: "no security.txt",
    }),
};
