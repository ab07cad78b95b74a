import { z } from "zod";
import { isSecretName, looksSecret } from "./plain-secret.ts";
import { NOT_BY_VALUE, secretRef } from "./secret-ref.ts";

/** Headers of requests: texts, and secrets by name. A text that is a secret, or is called like one, is refused. */
export const headers = z.record(z.string(), z.union([z.string(), secretRef])).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string" || !(isSecretName(name) || looksSecret(value))) continue;
    context.addIssue({ code: "custom", path: [name], message: NOT_BY_VALUE });
  }
});
