import { z } from "zod";
import { looksSecret } from "./plain-secret.ts";

/** Where requests that carry a secret begin; the secret itself is no part of it. */
export const address = z
  .url({ protocol: /^https?$/, error: "use an http or https address" })
  .refine((text) => !looksSecret(text), "a login or a key does not belong into an address: use apiKey, or a header");
