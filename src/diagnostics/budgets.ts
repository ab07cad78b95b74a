import { allScopes, capText, readBudgets, scopeText } from "../budgets/budget-report.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Whether a budget is used up, so that runs are refused. */
export async function examineBudgets({ services, env }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const scopes = allScopes(services.config);
  const head = { id: "budgets.caps", area: "budgets", path: "budgets" } as const;
  if (scopes.length === 0) return [{ ...head, status: "ok", message: "Nothing is capped." }];
  const reports = await readBudgets(scopes, env.BUDGETS);
  const full = reports.flatMap(({ scope, uses }) =>
    uses
      .filter(({ isFull }) => isFull)
      .map(({ cap, roomAt }): Check => {
        const until = roomAt === undefined ? "" : ` until ${new Date(roomAt).toISOString()}`;
        return {
          id: `budgets.${scope}.${cap.of}.${cap.minutes}`,
          area: "budgets",
          status: "warn",
          message: `The budget of ${scopeText(scope)}, ${capText(cap)}, is used up${until}: runs are refused.`,
          fix: "Wait, or raise the cap.",
          path: "budgets",
        };
      }),
  );
  return full.length > 0 ? full : [{ ...head, status: "ok", message: `${scopes.length} budgets have room.` }];
}
