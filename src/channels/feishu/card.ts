import type { Buttons, Target } from "../channel.ts";

/** The content of a card with a text in Markdown, as JSON. */
export function cardContent(text: string, buttons: readonly object[] = []): string {
  return card([{ tag: "markdown", content: text }, ...buttons]);
}

/** The content of a card whose text is shown as it is, as JSON. */
export function plainCardContent(text: string, buttons: readonly object[] = []): string {
  return card([{ tag: "div", text: { tag: "plain_text", content: text } }, ...buttons]);
}

function card(elements: readonly object[]): string {
  // A card that is passed on would be pressed in another chat.
  return JSON.stringify({ schema: "2.0", config: { update_multi: true, enable_forward: false }, body: { elements } });
}

/** Rows of buttons. Each brings back what it says and where it is, as `buttonValue` of `inbound.ts` reads it. */
export function cardButtons(rows: Buttons, { kind, threadId }: Pick<Target, "kind" | "threadId">): object[] {
  const place = { kind, ...(threadId !== undefined && { threadId }) };
  return rows.map((row) => ({
    tag: "column_set",
    columns: row.map(({ label, says }) => ({
      tag: "column",
      width: "auto",
      elements: [
        {
          tag: "button",
          text: { tag: "plain_text", content: label },
          behaviors: [{ type: "callback", value: { says, ...place } }],
        },
      ],
    })),
  }));
}
