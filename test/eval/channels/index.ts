import type { ChannelUnderEval } from "./channel-under-eval.ts";
import { dingtalkUnderEval } from "./dingtalk.ts";
import { feishuUnderEval } from "./feishu.ts";
import { slackUnderEval } from "./slack.ts";
import { telegramUnderEval } from "./telegram.ts";
import { wecomUnderEval } from "./wecom.ts";

/** The channels that evaluations run; a platform that is missing here counts as failed. */
export const CHANNELS_UNDER_EVAL: readonly ChannelUnderEval[] = [
  telegramUnderEval,
  slackUnderEval,
  feishuUnderEval,
  wecomUnderEval,
  dingtalkUnderEval,
];
