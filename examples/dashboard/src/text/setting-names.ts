/** The settings that have a field. */
export const settingNames = {
  telemetryIntervalSeconds: "Seconds between records",
  otaEnabled: "Firmware updates",
};

/** Returns the label of a setting. A setting without a field has its own name. */
export const nameOfSetting = (name: string): string =>
  (settingNames as Readonly<Record<string, string>>)[name] ?? name;
