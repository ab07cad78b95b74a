import { z } from "zod";

/** A secret by name; its value is only ever in the Worker's environment. */
export const secretRef = z
  .strictObject({
    source: z.literal("env").describe("Where the value is: the Worker's environment."),
    id: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, "use the name of an environment variable")
      .describe("Its name there."),
  })
  .describe("A secret by name, never by value.");

/** A secret as configurations name it. */
export type SecretRef = z.output<typeof secretRef>;
