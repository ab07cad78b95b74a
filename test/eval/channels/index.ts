import type { ChannelUnderEval } from "./channel-under-eval.ts";
import { emailUnderEval } from "./email.ts";
import { telegramUnderEval } from "./telegram.ts";
import { webhookUnderEval } from "./webhook.ts";

/** The channels that evaluations run; a platform that is missing here counts as failed. */
export const CHANNELS_UNDER_EVAL: readonly ChannelUnderEval[] = [telegramUnderEval, emailUnderEval, webhookUnderEval];
