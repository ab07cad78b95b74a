import type { ChannelUnderEval } from "./channel-under-eval.ts";
import { emailUnderEval } from "./email.ts";
import { lineUnderEval } from "./line.ts";
import { slackUnderEval } from "./slack.ts";
import { smsUnderEval } from "./sms.ts";
import { telegramUnderEval } from "./telegram.ts";
import { webhookUnderEval } from "./webhook.ts";
import { whatsappUnderEval } from "./whatsapp.ts";

/** The channels that evaluations run; a platform that is missing here counts as failed. */
export const CHANNELS_UNDER_EVAL: readonly ChannelUnderEval[] = [
  telegramUnderEval,
  slackUnderEval,
  whatsappUnderEval,
  smsUnderEval,
  lineUnderEval,
  emailUnderEval,
  webhookUnderEval,
];
