import { z } from "zod";

/** A secret by name; its value is only ever in the Worker's environment. What is written instead is never repeated. */
export const secretRef = z
  .strictObject(
    {
      source: z.literal("env").describe("Where the value is: the Worker's environment."),
      id: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/, "use the name of an environment variable")
        .describe("Its name there."),
    },
    { error: ({ input }) => (typeof input === "string" ? NOT_BY_VALUE : undefined) },
  )
  .describe("A secret by name, never by value.");

/** What is said of a secret that stands where its name should. */
export const NOT_BY_VALUE =
  'a secret does not belong here: store it with `wrangler secret put NAME`, or in .dev.vars, and write {source: "env", id: "NAME"}';

/** A secret as configurations name it. */
export type SecretRef = z.output<typeof secretRef>;
