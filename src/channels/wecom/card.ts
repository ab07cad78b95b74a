import type { Button, OutboundPart } from "../channel.ts";
import { wecomMarkup } from "../markup/wecom.ts";

/** Tells our cards from those of other programs that use the application. */
export const TASK_PREFIX = "isopod-";

/** WeCom cuts a longer text, and takes no more buttons. */
const MAX_TEXT_CHARS = 112;
const MAX_BUTTONS = 6;

/** The card of a question with buttons; undefined if WeCom would not show all of it. */
export function questionCard({ text, buttons = [], deliveryId }: OutboundPart): object | undefined {
  const keys = buttons.flat();
  const words = wecomMarkup.plain(text).trim();
  if (keys.length === 0 || keys.length > MAX_BUTTONS || words.length > MAX_TEXT_CHARS) return undefined;
  return {
    card_type: "button_interaction",
    task_id: `${TASK_PREFIX}${deliveryId}`,
    main_title: { title: "Isopod" },
    sub_title_text: words,
    button_list: keys.map(({ label, says }) => ({ text: label, key: says })),
  };
}

/** What to type instead of pressing. */
export function typedAnswers(buttons: readonly (readonly Button[])[]): string {
  return buttons
    .flat()
    .map(({ label, says }) => `${label}: ${says}`)
    .join("\n");
}
