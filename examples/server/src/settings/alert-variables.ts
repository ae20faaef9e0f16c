import { z } from "zod";

/** Settings of alerts. */
export const alertShape = {
  ALERTS: z.boolean().default(true).meta({
    description:
      "Whether the server evaluates alert rules and mails alerts. Mails need `ACCOUNTS`; alerts of operators go to `OPERATOR_EMAILS`.",
  }),
  ALERT_FLEET_SILENCE_PERCENT: z.int().min(0).max(100).default(30).meta({
    unit: "percent",
    description:
      "If more of the watched devices are silent, but at least 10, one alert of the operators replaces all alerts about silence.",
  }),
};
