/** The header of answers whose data may come from a copy of the storage. */
export const datedHeaders = {
  "Data-As-Of":
    "Present if the data comes from a read replica. The response has everything that was stored before this time (ISO 8601), and may lack what was stored later.",
} as const;
