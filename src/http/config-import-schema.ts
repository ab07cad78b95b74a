import { z } from "@hono/zod-openapi";

const path = z.string().openapi({ description: "Its path in the imported file.", example: "channels.whatsapp" });
const why = z.string();
const hint = z.string().openapi({ description: "What to do instead." });

/** What `POST /config/import` answers: a report on every value. */
export const importReport = z
  .object({
    revision: z.int().openapi({ description: "The newest revision; 0 where nothing is stored." }),
    stored: z.boolean().openapi({ description: "False for a dry run, and where nothing differs." }),
    document: z.record(z.string(), z.unknown()).openapi({ description: "The resulting configuration; valid." }),
    mapped: z
      .array(z.object({ from: z.string(), to: z.string(), note: z.string().optional() }))
      .openapi({ description: "The imported values, with their new paths." }),
    changed: z
      .array(z.object({ path, why }))
      .openapi({ description: "Values that were imported in another form, or that are defaults." }),
    unknown: z.array(z.object({ path, why, hint })).openapi({ description: "Values for which there is no field." }),
    refused: z
      .array(z.object({ path, why, hint }))
      .openapi({ description: "Values that their field does not accept: secrets in plain text, wrong types." }),
    replaced: z.array(z.string()).openapi({
      description: "Values of the previous configuration that were removed; the history still has them.",
    }),
  })
  .openapi("ConfigImport");

export type ImportReport = z.infer<typeof importReport>;
