import { z } from "zod";

/** 1 to 128 of `A-Z a-z 0-9 . _ : -`, but not `.` or `..` (§1). */
export const DeviceId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, "1 to 128 of A-Z a-z 0-9 . _ : -")
  .meta({ description: "Stable identifier of the device.", examples: ["gw-a4c138000001"] });

/** 1 to 128 printable characters (§1). */
export const Printable = z
  .string()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u, "1 to 128 printable characters");

/** `major.minor.patch`, compared as numbers (§1). */
export const FirmwareVersion = z
  .string()
  .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}$/, "major.minor.patch, such as 0.1.10")
  .meta({ description: "Firmware version, compared as numbers.", examples: ["0.1.10"] });

/** A time in a response: ISO 8601 in UTC with milliseconds (§0). */
export const Timestamp = z.iso.datetime({ precision: 3 });
