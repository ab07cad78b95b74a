import { useEffect, useMemo, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { Caller } from "../client/wire.ts";
import { Announcer } from "./announcer.tsx";
import { Chat, type ChatState } from "./chat.ts";
import { Composer } from "./composer.tsx";
import { activeRun } from "./conversation.ts";
import { FirstSteps } from "./first-steps.tsx";
import { texts } from "./language.ts";
import { LostBanner } from "./lost-banner.tsx";
import { MemoryDialog } from "./memory-dialog.tsx";
import { openOutbox } from "./outbox.ts";
import { PageHeader } from "./page-header.tsx";
import { PermissionsDialog } from "./permissions-dialog.tsx";
import { PromptDialog, type PromptTarget } from "./prompt-dialog.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { SkillsDialog } from "./skills-dialog.tsx";
import { Transcript } from "./transcript.tsx";

const DISMISSED = "isopod.first-steps-dismissed";

/** The properties of the chat. */
export interface ChatViewProps {
  server: Server;
  me: Caller;
  sessionKey: string;
  store: Storage;
  onLeave(): void;
  onSignedOut(): void;
}

/** The header, the transcript, and the composer below it. */
export function ChatView({ server, me, sessionKey, store, onLeave, onSignedOut }: ChatViewProps) {
  const outbox = useMemo(() => openOutbox(store, sessionKey), [store, sessionKey]);
  const chat = useMemo(() => new Chat(server, sessionKey, outbox, onSignedOut), [server, sessionKey, outbox]);
  useEffect(() => () => chat.close(), [chat]);
  useEffect(() => wakeOnReturn(chat), [chat]);
  const state = useChatState(chat);
  const [text, setText] = useState(() => outbox.readDraft());
  const [promptTarget, setPromptTarget] = useState<PromptTarget>();
  const [skillsOpen, setSkillsOpen] = useState(false);
  const [memoryOpen, setMemoryOpen] = useState(false);
  const [scheduleOpen, setScheduleOpen] = useState(false);
  const [permissionsOpen, setPermissionsOpen] = useState(false);
  const [dismissed, setDismissed] = useState(() => store.getItem(DISMISSED) !== null);

  function write(next: string) {
    setText(next);
    outbox.writeDraft(next);
  }
  function send(message: string) {
    chat.send(message);
    write("");
  }
  function dismiss() {
    store.setItem(DISMISSED, "1");
    setDismissed(true);
  }
  const runId = activeRun(state.conversation);
  return (
    <div class="page">
      <PageHeader
        model={me.model}
        onPrompt={() => setPromptTarget("next")}
        onSkills={() => setSkillsOpen(true)}
        onMemory={() => setMemoryOpen(true)}
        onSchedule={() => setScheduleOpen(true)}
        onPermissions={() => setPermissionsOpen(true)}
        onSignOut={onLeave}
      />
      <Transcript
        state={state}
        onOlder={() => chat.loadOlder()}
        onEdit={(key) => write(joinTexts(text, chat.takeBack(key)))}
        onDecide={(approvalId, decision) => chat.decide(approvalId, decision)}
        onShowPrompt={(runId) => setPromptTarget({ runId })}
        onRetry={() => chat.send("/retry")}
        after={(isEmpty) =>
          !dismissed && <FirstSteps model={me.model} open={isEmpty} onDismiss={dismiss} onSuggest={write} />
        }
      />
      <footer class="bottom">
        <Banner state={state} />
        <LostBanner server={server} sessionKey={sessionKey} runId={runId} />
        <Composer
          text={text}
          onText={write}
          onSend={send}
          active={runId !== undefined}
          stopping={runId !== undefined && state.stopping === runId}
          onStop={() => chat.stop()}
        />
      </footer>
      <Announcer conversation={state.conversation} />
      {promptTarget !== undefined && (
        <PromptDialog
          server={server}
          sessionKey={sessionKey}
          target={promptTarget}
          onClose={() => setPromptTarget(undefined)}
        />
      )}
      {skillsOpen && <SkillsDialog server={server} agentId={me.agentId} onClose={() => setSkillsOpen(false)} />}
      {memoryOpen && <MemoryDialog server={server} agentId={me.agentId} onClose={() => setMemoryOpen(false)} />}
      {scheduleOpen && <ScheduleDialog server={server} agentId={me.agentId} onClose={() => setScheduleOpen(false)} />}
      {permissionsOpen && (
        <PermissionsDialog
          server={server}
          agentId={me.agentId}
          sessionKey={sessionKey}
          onClose={() => setPermissionsOpen(false)}
        />
      )}
    </div>
  );
}

function Banner({ state }: { state: ChatState }) {
  if (state.fault !== undefined) {
    return (
      <p class="banner trouble" role="alert">
        {texts.fault} {state.fault}
      </p>
    );
  }
  if (state.link !== "lost") return null;
  return (
    <p class="banner" role="status">
      {texts.lost}
    </p>
  );
}

/** The state of a chat, read at most once a frame. */
function useChatState(chat: Chat): ChatState {
  const [state, setState] = useState(chat.state);
  useEffect(() => {
    let frame = 0;
    setState(chat.state);
    const unsubscribe = chat.subscribe(() => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setState(chat.state);
      });
    });
    return () => {
      unsubscribe();
      cancelAnimationFrame(frame);
    };
  }, [chat]);
  return state;
}

/** Reconnects when the page becomes visible or the network comes back. */
function wakeOnReturn(chat: Chat): () => void {
  const wake = () => chat.wake();
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  return () => {
    document.removeEventListener("visibilitychange", wake);
    window.removeEventListener("online", wake);
  };
}

function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== "").join("\n\n");
}
