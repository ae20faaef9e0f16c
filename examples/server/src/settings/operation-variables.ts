import { z } from "zod";

/** How the server is run: what watches it, and how it goes. */
export const operationShape = {
  METRICS_PORT: z.int().min(0).max(65_535).optional().meta({
    description: "Port of its own for `/metrics`, in Prometheus' format. 0 picks a free one.",
    unless: "there are none",
  }),
  METRICS_HOST: z.string().regex(/^\S+$/).default("127.0.0.1").meta({
    description: "Address that `/metrics` listens on. Whoever reaches it may read them.",
    form: "a name or an address",
  }),
  DRAIN_SECONDS: z.int().min(0).max(300).default(0).meta({
    unit: "seconds",
    description:
      "How long it goes on after SIGTERM while `/readyz` says 503, so that load balancers notice first.",
  }),
};
