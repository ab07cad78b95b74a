import { useEffect, useState } from "preact/hooks";
import { activeRun, type Conversation } from "./conversation.ts";
import { texts } from "./language.ts";

/** A live region for screen readers. It announces finished replies only, not every delta. */
export function Announcer({ conversation }: { conversation: Conversation }) {
  const [since] = useState(() => Date.now());
  const [news, setNews] = useState("");
  const last = conversation.messages.findLast((message) => message.role === "assistant");
  const reply = last && last.at >= since ? replyText(last.parts) : "";
  const isActive = activeRun(conversation) !== undefined;
  useEffect(() => {
    if (isActive) setNews(texts.working);
    else if (reply !== "") setNews(`${texts.agent}: ${reply}`);
  }, [isActive, reply]);
  return (
    <p class="unseen" aria-live="polite">
      {news}
    </p>
  );
}

function replyText(parts: readonly { type: string; text?: string }[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("");
}
