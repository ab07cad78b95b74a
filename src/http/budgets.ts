import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { allScopes, budgetView, readBudgets } from "../budgets/budget-report.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const cap = z
  .object({
    cap: z.string().openapi({ description: "Its field in the configuration.", example: "tokensPerDay" }),
    limit: z.number(),
    spent: z.number(),
    reserved: z.number().openapi({ description: "Reserved for calls in progress." }),
    isFull: z.boolean(),
    roomAt: z.int().optional().openapi({ description: "When the cap has room again; milliseconds since the epoch." }),
  })
  .openapi("BudgetCap");

const budgetsRoute = createRoute({
  method: "get",
  path: "/budgets",
  summary: "List the budgets with their use",
  description: "Budgets that have a cap, agents first. Amounts are runs, tokens, or estimated US dollars.",
  request: { query: z.strictObject({}) },
  responses: {
    200: {
      description: "All",
      content: {
        "application/json": {
          schema: z.object({ budgets: z.array(z.object({ scope: z.string(), caps: z.array(cap) })) }),
        },
      },
    },
  },
});

/** `/v1/budgets`. */
export const budgetRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

budgetRoutes.openapi(budgetsRoute, async (c) => {
  const scopes = allScopes(c.get("services").config);
  const reports = await readBudgets(scopes, c.env.BUDGETS).catch((error: unknown) => {
    log("warn", "budget.not_read", { error: messageOf(error) });
    throw new IsopodError("unavailable", "A budget does not answer.", "Try again in a moment.");
  });
  return c.json({ budgets: reports.map(budgetView) }, 200);
});
