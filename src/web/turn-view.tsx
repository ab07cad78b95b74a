import type { Decision, UserMessage } from "../client/wire.ts";
import type { Approval } from "./conversation.ts";
import { Working } from "./icons.tsx";
import { texts } from "./language.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { turnSources } from "./sources.ts";
import { SourcesView } from "./sources-view.tsx";
import { ToolCallView } from "./tool-call-view.tsx";
import { type Block, type Live, type Turn, type TurnProblem, turnBlocks, turnProblem } from "./turns.ts";

const DECISIONS: [Decision, string][] = [
  ["allow-once", texts.allowOnce],
  ["allow-always", texts.allowAlways],
  ["deny", texts.deny],
];

/** The properties of a turn. */
export interface TurnViewProps {
  turn: Turn;
  live: Live;
  onDecide(approvalId: string, decision: Decision): void;
  /** Called to show the prompt of a run. */
  onShowPrompt(runId: string): void;
  /** Called to have its message answered again; absent where another turn follows. */
  onRetry?(): void;
}

/** The messages, reasoning, tool calls and sources of a turn. */
export function TurnView({ turn, live, onDecide, onShowPrompt, onRetry }: TurnViewProps) {
  const blocks = turnBlocks(turn, live);
  const sources = turnSources(turn);
  const trouble = turnProblem(turn);
  const isWaiting = turn.run?.state === "active" && !showsActivity(blocks.at(-1));
  return (
    <article class="turn">
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} onDecide={onDecide} onShowPrompt={() => onShowPrompt(turn.runId)} />
      ))}
      {sources.length > 0 && <SourcesView sources={sources} />}
      {isWaiting && (
        <p class="waiting">
          <Working />
          <span class="unseen">{texts.working}</span>
        </p>
      )}
      {trouble && <TurnProblemView trouble={trouble} {...(onRetry && { onRetry })} />}
    </article>
  );
}

interface BlockViewProps {
  block: Block;
  onDecide: TurnViewProps["onDecide"];
  onShowPrompt(): void;
}

function BlockView({ block, onDecide, onShowPrompt }: BlockViewProps) {
  switch (block.type) {
    case "user":
      return block.message.sender?.id === "system" ? (
        <SystemNote text={block.message.text} />
      ) : (
        <UserMessageView message={block.message} onShowPrompt={onShowPrompt} />
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

function UserMessageView({ message, onShowPrompt }: { message: UserMessage; onShowPrompt(): void }) {
  const name = message.sender?.name ?? (message.sender?.owner === false ? message.sender.id : texts.you);
  const at = new Date(message.at);
  return (
    <div class="said">
      <p class="text">{message.text}</p>
      <p class="byline">
        {name}
        <time dateTime={at.toISOString()}>{at.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })}</time>
        <button type="button" class="quiet look" onClick={onShowPrompt} title={texts.promptSent}>
          {texts.prompt}
        </button>
      </p>
    </div>
  );
}

/** A message from the system to the agent, closed at first. */
function SystemNote({ text }: { text: string }) {
  return (
    <details class="aside">
      <summary>{texts.system}</summary>
      <p class="text">{text}</p>
    </details>
  );
}

function TurnProblemView({ trouble, onRetry }: { trouble: TurnProblem; onRetry?(): void }) {
  const retry = onRetry && (
    <button type="button" class="choice" onClick={onRetry}>
      {texts.retry}
    </button>
  );
  if (trouble.type !== "error") {
    return (
      <p class="trouble mild">
        {texts[trouble.type]} {trouble.type === "aborted" && retry}
      </p>
    );
  }
  return (
    <>
      <p class="trouble" role="alert">
        {texts.failed} {trouble.message || texts.unknownError}
      </p>
      {retry}
    </>
  );
}

/** Whether a block itself shows activity. */
function showsActivity(block: Block | undefined): boolean {
  if (block?.type === "tool") return block.call.state === "running" || block.call.state === "asking";
  return block?.type === "text" && block.key.startsWith("draft");
}

/** The properties of an approval. */
interface ApprovalViewProps {
  approval: Approval;
  onDecide(approvalId: string, decision: Decision): void;
}

/** A question whether a tool call may run, with its answers. */
function ApprovalView({ approval, onDecide }: ApprovalViewProps) {
  const decisions = DECISIONS.filter(([decision]) => approval.canRemember || decision !== "allow-always");
  return (
    <fieldset class="approval">
      <legend>{approval.question}</legend>
      {decisions.map(([decision, label]) => (
        <button key={decision} type="button" class="choice" onClick={() => onDecide(approval.approvalId, decision)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
