import { z } from "@hono/zod-openapi";

const path = z.string().openapi({ description: "Where it stands in what was sent.", example: "channels.whatsapp" });
const why = z.string();
const hint = z.string().openapi({ description: "What to do instead." });

/** What `POST /config/import` answers: what became of each value. */
export const importReport = z
  .object({
    revision: z.int().openapi({ description: "The newest one now; 0 where nothing is stored." }),
    stored: z.boolean().openapi({ description: "False for a dry run, and where nothing differs." }),
    document: z.record(z.string(), z.unknown()).openapi({ description: "The configuration that it makes; valid." }),
    mapped: z
      .array(z.object({ from: z.string(), to: z.string(), note: z.string().optional() }))
      .openapi({ description: "What came over, and where to." }),
    changed: z
      .array(z.object({ path, why }))
      .openapi({ description: "What came over in another form, or says what is so anyway." }),
    unknown: z.array(z.object({ path, why, hint })).openapi({ description: "What nothing here could be set with." }),
    refused: z
      .array(z.object({ path, why, hint }))
      .openapi({ description: "What could be set, but not with that value: secrets in plain words, wrong types." }),
    replaced: z.array(z.string()).openapi({
      description: "What the configuration said before, and does not any more. Its revision in the history has it.",
    }),
  })
  .openapi("ConfigImport");

export type ImportReport = z.infer<typeof importReport>;
