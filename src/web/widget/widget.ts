import { ChatBox } from "./chat-box.ts";
import { Connection } from "./connection.ts";
import { Conversation } from "./conversation.ts";
import { Memory } from "./memory.ts";
import style from "./widget.css";
import { wordsFor } from "./words.ts";

/** The script element, whose attributes say which chat box it is. */
const script = document.currentScript;

/** Puts the chat box into the page. Nothing is asked of the Worker before somebody opens it. */
function mount({ src, dataset }: HTMLScriptElement): void {
  const { account = "default", lang, position, theme } = dataset;
  const address = `${new URL(src).origin}/channels/webchat/${encodeURIComponent(account)}`;
  if (document.querySelector(`isopod-chat[data-account="${CSS.escape(account)}"]`)) return;
  const host = document.createElement("isopod-chat");
  Object.assign(host.dataset, { account, ...(position && { position }), ...(theme && { theme }) });
  const language = lang || document.documentElement.lang || navigator.language;
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const memory = new Memory(`isopod-chat ${address}`);
  const conversation = new Conversation(new Connection(address, memory), memory, () => box.show());
  const box = new ChatBox(root, conversation, memory, wordsFor(language));
  host.lang = language;
  document.body.append(host);
  document.addEventListener("visibilitychange", () => document.hidden || box.resume());
  if (memory.isOpen) box.open();
}

if (script instanceof HTMLScriptElement) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mount(script));
  else mount(script);
}
