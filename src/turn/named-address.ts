import type { Message } from "../models/message.ts";

/**
 * Whether an address stands word for word in what the owner said lately, or in what anybody said or a result showed.
 * @param messages what the model sees
 */
export function isAddressNamed(address: string, by: "owner" | "anybody", messages: readonly Message[]): boolean {
  return messages.some((message) => {
    if (message.role === "assistant") return false;
    const isOwners = message.role === "user" && message.sender?.owner === true && message.sender.id !== "system";
    if (by === "owner" && !isOwners) return false;
    const text = message.role === "user" && by === "owner" ? message.text.slice(message.wordsAt ?? 0) : message.text;
    return namesAddress(text, address);
  });
}

/** Whether a text names exactly this address: nothing that could be part of it stands around it. */
function namesAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text.slice(at + address.length)];
    if (!/[\w.:/@-]/.test(before) && !/^(?:[\w/?#&=%:@~+-]|[.,;!](?=\w))/.test(after)) return true;
  }
  return false;
}
