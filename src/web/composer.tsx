import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useFocus } from "./hooks.ts";
import { SendIcon, StopIcon } from "./icons.tsx";
import { texts } from "./language.ts";

/** The key code that Safari reports for the Enter that ends a composition. */
const COMPOSING_KEY_CODE = 229;

/** The properties of the composer. */
export interface ComposerProps {
  text: string;
  onText(text: string): void;
  onSend(text: string): void;
  /** Whether a run is active, which can be stopped. */
  active: boolean;
  stopping: boolean;
  onStop(): void;
}

/** The field for a message. Enter sends it, except while an input method composes a word. */
export function Composer({ text, onText, onSend, active, stopping, onStop }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [focused, setFocused] = useState(false);
  useFocus(field);
  useLayoutEffect(() => growToText(field.current), [text]);

  function send() {
    if (text.trim() === "") return;
    onSend(text);
    field.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === COMPOSING_KEY_CODE) return;
    event.preventDefault();
    send();
  }
  function onSubmit(event: SubmitEvent) {
    event.preventDefault();
    send();
  }
  return (
    <form class={focused ? "composer focused" : "composer"} onSubmit={onSubmit}>
      <textarea
        ref={field}
        rows={1}
        value={text}
        placeholder={texts.placeholder}
        aria-label={texts.placeholder}
        aria-keyshortcuts="Enter"
        title={texts.keys}
        enterkeyhint="send"
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      {active && (
        <button
          type="button"
          class="round stop"
          disabled={stopping}
          onClick={onStop}
          title={stopping ? texts.stopping : texts.stop}
        >
          <StopIcon />
          <span class="unseen">{texts.stop}</span>
        </button>
      )}
      {(!active || text.trim() !== "") && (
        <button type="submit" class="round send" disabled={text.trim() === ""} title={texts.send}>
          <SendIcon />
          <span class="unseen">{texts.send}</span>
        </button>
      )}
    </form>
  );
}

function growToText(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
