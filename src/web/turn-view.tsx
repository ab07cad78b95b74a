import type { Decision, UserMessage } from "../client/wire.ts";
import type { Approval } from "./conversation.ts";
import { Working } from "./icons.tsx";
import { texts } from "./language.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { ToolCallView } from "./tool-call-view.tsx";
import { type Block, type Live, type Turn, type TurnProblem, turnBlocks, turnProblem } from "./turns.ts";

const DECISIONS: [Decision, string][] = [
  ["allow-once", texts.allowOnce],
  ["allow-always", texts.allowAlways],
  ["deny", texts.deny],
];

/** What a turn shows, and what it asks for. */
export interface TurnViewProps {
  turn: Turn;
  live: Live;
  onDecide(approvalId: string, decision: Decision): void;
  /** Somebody wants to see what the model was sent in a run. */
  onLook(runId: string): void;
}

/** What was said and done in a turn. */
export function TurnView({ turn, live, onDecide, onLook }: TurnViewProps) {
  const blocks = turnBlocks(turn, live);
  const trouble = turnProblem(turn);
  const isWaiting = turn.run?.state === "active" && !speaks(blocks.at(-1));
  return (
    <article class="turn">
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} onDecide={onDecide} onLook={() => onLook(turn.runId)} />
      ))}
      {isWaiting && (
        <p class="waiting">
          <Working />
          <span class="unseen">{texts.working}</span>
        </p>
      )}
      {trouble && <TurnProblemView trouble={trouble} />}
    </article>
  );
}

interface BlockViewProps {
  block: Block;
  onDecide: TurnViewProps["onDecide"];
  onLook(): void;
}

function BlockView({ block, onDecide, onLook }: BlockViewProps) {
  switch (block.type) {
    case "user":
      return block.message.sender?.id === "system" ? (
        <Told text={block.message.text} />
      ) : (
        <Said message={block.message} onLook={onLook} />
      );
    case "text":
      return <MarkdownView text={block.text} />;
    case "reasoning":
      return (
        <details class="aside reasoning">
          <summary>{block.live ? texts.thinking : texts.thought}</summary>
          <MarkdownView text={block.text} />
        </details>
      );
    case "tool":
      return (
        <>
          <ToolCallView call={block.call} />
          {block.call.approval && <ApprovalView approval={block.call.approval} onDecide={onDecide} />}
        </>
      );
  }
}

function Said({ message, onLook }: { message: UserMessage; onLook(): void }) {
  const name = message.sender?.name ?? (message.sender?.owner === false ? message.sender.id : texts.you);
  const at = new Date(message.at);
  return (
    <div class="said">
      <p class="text">{message.text}</p>
      <p class="byline">
        {name}
        <time dateTime={at.toISOString()}>{at.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })}</time>
        <button type="button" class="quiet look" onClick={onLook} title={texts.promptSent}>
          {texts.prompt}
        </button>
      </p>
    </div>
  );
}

/** What the system itself told the agent: people need not read it, and may. */
function Told({ text }: { text: string }) {
  return (
    <details class="aside">
      <summary>{texts.system}</summary>
      <p class="text">{text}</p>
    </details>
  );
}

function TurnProblemView({ trouble }: { trouble: TurnProblem }) {
  if (trouble.type !== "error") return <p class="trouble mild">{texts[trouble.type]}</p>;
  return (
    <p class="trouble" role="alert">
      {texts.failed} {trouble.message || texts.unknownError}
    </p>
  );
}

/** Whether a block shows by itself that something is going on. */
function speaks(block: Block | undefined): boolean {
  if (block?.type === "tool") return block.call.state === "running" || block.call.state === "asking";
  return block?.type === "text" && block.key.startsWith("draft");
}

/** A question, and who is told what a person answered. */
interface ApprovalViewProps {
  approval: Approval;
  onDecide(approvalId: string, decision: Decision): void;
}

/** Asks a person whether a tool call may run. */
function ApprovalView({ approval, onDecide }: ApprovalViewProps) {
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
