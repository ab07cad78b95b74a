import type { Decision } from "../client/wire.ts";
import type { Approval } from "./conversation.ts";
import { texts } from "./language.ts";

const DECISIONS: [Decision, string][] = [
  ["allow-once", texts.allowOnce],
  ["allow-always", texts.allowAlways],
  ["deny", texts.deny],
];

/** A question, and who is told what a person answered. */
export interface ApprovalViewProps {
  approval: Approval;
  onDecide(approvalId: string, decision: Decision): void;
}

/** Asks a person whether a tool call may run. */
export function ApprovalView({ approval, onDecide }: ApprovalViewProps) {
  return (
    <fieldset class="approval">
      <legend>{approval.question}</legend>
      {DECISIONS.map(([decision, label]) => (
        <button key={decision} type="button" class="choice" onClick={() => onDecide(approval.approvalId, decision)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
