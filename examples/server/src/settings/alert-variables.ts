import { z } from "zod";

/** Settings of alerts. */
export const alertShape = {
  ALERTS: z.boolean().default(true).meta({
    description:
      "Whether the server evaluates alert rules and mails alerts. Mails need `ACCOUNTS`; alerts of operators go to `OPERATOR_EMAILS`.",
  }),
  PRESENCE_EVENTS: z.boolean().default(false).meta({
    description:
      "Whether the server writes the events `device.online` and `device.offline` of all devices. Needs `ALERTS`.",
  }),
  ALERT_FLEET_SILENCE_PERCENT: z.int().min(0).max(100).default(30).meta({
    unit: "percent",
    description:
      "If more than this share of the watched devices, and at least 10, are silent, the operators get one alert instead of one for each device.",
  }),
};
