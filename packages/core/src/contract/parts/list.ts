import { z } from "zod";

/** A whole number in a query. */
export const queryInteger = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "A whole number of up to 9 digits")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .optional()
    .transform((value) => value ?? fallback)
    .meta({ description: `${min} to ${max}, default ${fallback}.` });

/** The query of a list: page size and start of the page (§0). */
export const listQuery = (defaultLimit: number) =>
  z.object({
    limit: queryInteger(1, 500, defaultLimit),
    cursor: z
      .string()
      .max(1_024)
      .optional()
      .meta({ description: "The `nextCursor` of the previous page. Opaque." }),
  });

export const NextCursor = z.string().nullable().meta({ description: "null on the last page." });
