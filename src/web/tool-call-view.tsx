import { texts } from "./language.ts";
import { type PlanStep, planSteps, type ToolCall } from "./turns.ts";

const STATES: Record<ToolCall["state"], string> = {
  running: texts.toolRunning,
  asking: texts.toolAsking,
  ok: texts.toolOk,
  failed: texts.toolFailed,
  unknown: texts.toolUnknown,
};

const MARKS = { pending: "○", in_progress: "◐", completed: "●" } as const;

/** A tool call in one line; opened, its arguments and its result. */
export function ToolCallView({ call }: { call: ToolCall }) {
  const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args, null, 2);
  const plan = planSteps(call);
  return (
    <details class={`aside tool ${call.state}`} open={plan !== undefined}>
      <summary>
        <span class="name">{call.tool}</span>
        <span class="gist">{firstArgument(call.args)}</span>
        <span class="state">{STATES[call.state]}</span>
      </summary>
      {plan && <PlanView steps={plan} />}
      <dl>
        {!plan && (
          <>
            <dt>{texts.arguments}</dt>
            <dd>
              <pre>{args}</pre>
            </dd>
          </>
        )}
        {call.text !== "" && (
          <>
            <dt>{texts.result}</dt>
            <dd>
              <pre>{call.text}</pre>
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}

/** The first argument that is a string: a path, a query, a command. */
function firstArgument(args: ToolCall["args"]): string {
  const first = typeof args === "string" ? args : Object.values(args).find((value) => typeof value === "string");
  return typeof first === "string" ? first.replace(/\s+/g, " ").slice(0, 120) : "";
}

/** The steps of the agent's plan with their status. */
function PlanView({ steps }: { steps: readonly PlanStep[] }) {
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
