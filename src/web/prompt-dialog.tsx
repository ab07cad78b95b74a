import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, requestJson, runPath, type Server, sessionPath } from "../client/http.ts";
import { isPrompt, type Prompt } from "../client/wire.ts";
import { texts } from "./language.ts";
import { PromptView } from "./prompt-view.tsx";

/** Which prompt to show: that of a run, or the one that the next turn would get. */
export type PromptTarget = { runId: string } | "next";

/** The properties of the prompt dialog. */
export interface PromptDialogProps {
  server: Server;
  sessionKey: string;
  target: PromptTarget;
  onClose(): void;
}

type Answer = { state: "asking" } | { state: "shown"; prompt: Prompt } | { state: "refused"; message: string };

/** A dialog with the prompt that a model got or would get. */
export function PromptDialog({ server, sessionKey, target, onClose }: PromptDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const path = target === "next" ? sessionPath(sessionKey, "context") : runPath(target.runId, "prompt");
  const answer = usePrompt(server, path);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="inspector" ref={dialog} onClose={onClose} aria-labelledby="inspector-title">
      <header>
        <h2 id="inspector-title">{target === "next" ? texts.promptNext : texts.promptSent}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      {answer.state === "asking" && (
        <p class="hint" aria-busy="true">
          {texts.loading}
        </p>
      )}
      {answer.state === "refused" && (
        <p class="trouble" role="alert">
          {answer.message}
        </p>
      )}
      {answer.state === "shown" && <PromptView prompt={answer.prompt} />}
    </dialog>
  );
}

function usePrompt(server: Server, path: string): Answer {
  const [answer, setAnswer] = useState<Answer>({ state: "asking" });
  useEffect(() => {
    const asking = new AbortController();
    setAnswer({ state: "asking" });
    requestJson(server, { path, signal: asking.signal }, isPrompt).then(
      (prompt) => setAnswer({ state: "shown", prompt }),
      (error: unknown) => {
        if (asking.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setAnswer({ state: "refused", message: error.status === 0 ? texts.unreachable : error.message });
      },
    );
    return () => asking.abort();
  }, [server, path]);
  return answer;
}
