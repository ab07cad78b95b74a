import { texts } from "./language.ts";
import type { PlanStep } from "./plan.ts";

const MARKS = { pending: "○", in_progress: "◐", completed: "●" } as const;

/** The plan of the agent's work as a list, with how far it is. */
export function PlanView({ steps }: { steps: readonly PlanStep[] }) {
  return (
    <ul class="plan">
      {steps.map(({ step, status }, index) => (
        <li key={index} class={status}>
          <span aria-hidden="true">{MARKS[status]}</span>
          <span class="unseen">{texts[status]}: </span>
          {step}
        </li>
      ))}
    </ul>
  );
}
