import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Decision } from "../client/wire.ts";
import type { ChatState } from "./chat.ts";
import { DownIcon } from "./icons.tsx";
import { texts } from "./language.ts";
import { type Pending, visiblePending } from "./pending.ts";
import { TurnView, type TurnViewProps } from "./turn-view.tsx";
import { groupTurns, type Live } from "./turns.ts";

/** Within this distance from the end, the transcript scrolls along with new messages. */
const NEAR_END_PX = 80;
/** Within this distance from the beginning, older messages are loaded. */
const NEAR_START_PX = 400;
const NOTHING_LIVE: Live = { progress: {}, approvals: {} };

/** The properties of the transcript. */
export interface TranscriptProps {
  state: ChatState;
  onOlder(): void;
  /** Called to edit a refused message. */
  onEdit(idempotencyKey: string): void;
  onDecide(approvalId: string, decision: Decision): void;
  /** Called to show the prompt of a run. */
  onShowPrompt(runId: string): void;
  /** Called to have the last message answered again. */
  onRetry(): void;
  /** Renders what follows the messages. */
  after(isEmpty: boolean): ComponentChildren;
}

/** The messages, oldest first. While the reader is at the end, it scrolls along. */
export function Transcript({ state, onOlder, onEdit, onDecide, onShowPrompt, onRetry, after }: TranscriptProps) {
  const { conversation, pending, opened } = state;
  const turns = useMemo(() => groupTurns(conversation), [conversation]);
  const { scroller, atEnd, onScroll, toEnd } = useReadingPlace(state, onOlder);
  const waiting = visiblePending(pending, conversation);
  const isEmpty = opened && turns.length === 0 && waiting.length === 0;
  return (
    <main class="transcript" ref={scroller} onScroll={onScroll}>
      <div class={isEmpty ? "column empty" : "column"} role="log" aria-live="off" aria-label={texts.messages}>
        {!opened && state.fault === undefined && <p class="hint">{texts.opening}</p>}
        {conversation.before !== undefined && (
          <button type="button" class="quiet older" onClick={onOlder} disabled={state.loadingOlder}>
            {texts.older}
          </button>
        )}
        {isEmpty && <p class="greeting">{texts.greeting}</p>}
        {turns.map((turn, at) => (
          <SteadyTurn
            key={turn.key}
            turn={turn}
            live={conversation}
            onDecide={onDecide}
            onShowPrompt={onShowPrompt}
            {...(at === turns.length - 1 && waiting.length === 0 && { onRetry })}
          />
        ))}
        {waiting.map((message) => (
          <PendingView key={message.idempotencyKey} message={message} lost={state.link === "lost"} onEdit={onEdit} />
        ))}
        {opened && after(isEmpty)}
      </div>
      {!atEnd && (
        <button type="button" class="round to-end" onClick={toEnd} title={texts.newest}>
          <DownIcon />
          <span class="unseen">{texts.newest}</span>
        </button>
      )}
    </main>
  );
}

/** A turn that is rendered again only when it changed; turns only grow. */
function SteadyTurn({ turn, live, ...actions }: TurnViewProps) {
  const { progress, approvals } = turn.run?.state === "active" ? live : NOTHING_LIVE;
  return useMemo(
    () => <TurnView turn={turn} live={{ progress, approvals }} {...actions} />,
    [turn.key, turn.messages.length, turn.draft, turn.run, progress, approvals, actions.onRetry === undefined],
  );
}

interface PendingViewProps {
  message: Pending;
  lost: boolean;
  onEdit(idempotencyKey: string): void;
}

function PendingView({ message: { idempotencyKey, text, state }, lost, onEdit }: PendingViewProps) {
  return (
    <article class="turn">
      <div class={`said ${state.type}`}>
        <p class="text">{text}</p>
        {state.type === "refused" ? (
          <p class="byline trouble" role="alert">
            {state.message}
            <button type="button" class="quiet" onClick={() => onEdit(idempotencyKey)}>
              {texts.edit}
            </button>
          </p>
        ) : (
          <p class="byline">{state.type === "accepted" ? texts.queued : lost ? texts.unsent : texts.sending}</p>
        )}
      </div>
    </article>
  );
}

/** Keeps the scroll position: at the end when it is there, else at the same words when older messages are added. */
function useReadingPlace(state: ChatState, onOlder: () => void) {
  const scroller = useRef<HTMLElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const height = useRef(0);
  const oldest = state.conversation.messages[0]?.id;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop += element.scrollHeight - height.current;
  }, [oldest]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (atEnd) element.scrollTop = element.scrollHeight;
    height.current = element.scrollHeight;
  });
  const sent = state.pending.length;
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent]);

  function onScroll() {
    const element = scroller.current;
    if (!element) return;
    setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
    if (element.scrollTop < NEAR_START_PX) onOlder();
  }
  function toEnd() {
    setAtEnd(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }
  return { scroller, atEnd, onScroll, toEnd };
}
