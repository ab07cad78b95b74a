import type { ModelError } from "./message.ts";

/** What is known about a failure. */
export interface ErrorEvidence {
  /** The messages, in lower case, with `_` and `CamelCase` split by spaces. */
  words: string;
  /** The HTTP status, or one named in the messages. */
  status: number | undefined;
  /** Whether the answer had an empty body. */
  silent: boolean;
}

/**
 * Classifies a failure; the first matching rule wins. Messages come before statuses, which many servers use loosely,
 * and narrow claims before wide ones: "too many requests" and an image exceed a limit too.
 */
export function errorKind({ words, status, silent }: ErrorEvidence): ModelError["kind"] {
  if (status === 413) return "overflow";
  if (OUT_OF_CREDIT.test(words)) return "billing";
  if (status === 402 && (UPGRADE.test(words) || !RATE_LIMITED.test(words))) return "billing";
  if (OVERLOADED.test(words) && !/rate[ -]?limit/.test(words)) return "overloaded";
  if (RATE_LIMITED.test(words)) return "rate_limit";
  if (status === 429) return BILLING.test(words) ? "billing" : "rate_limit";
  if (status !== 401 && status !== 403 && NO_SUCH_MODEL.test(words)) return "other";
  if (isTooLong(words)) return "overflow";
  if (BILLING.test(words)) return "billing";
  if (CHALLENGE.test(words)) return "timeout";
  if (status === 401 || status === 403 || UNAUTHORIZED.test(words)) return "auth";
  if (status === 404 || status === 410) return "other";
  if (status === 503 || status === 529) return "overloaded";
  if (isTransient(status)) return "timeout";
  // A gateway that refuses a request for its size often answers 400 without a body.
  if (status === 400 && (silent || words.includes("no body"))) return "overflow";
  if (status !== undefined && status >= 400 && status !== 407 && status !== 451) return "format";
  if (TRANSIENT.test(words)) return "timeout";
  return MALFORMED.test(words) ? "format" : "other";
}

const OUT_OF_CREDIT = anyOf(
  /insufficient (?:\w+ ){0,3}(?:quota|credits?|balance|funds?)\b/,
  /not enough (?:credits?|balance|funds?)\b/,
  /\b(?:credit|account|paid) balance\b|overdue balance|balance is (?:too low|insufficient|exhausted)/,
  /\b(?:out of|no|any|all(?: available)?|(?:requires?|needs?) more) credits?\b|credits? (?:exhausted|expired|depleted|limit exceeded|error)/,
  /exceeded your [^\n]{0,30}credits/,
  /payment required|payment (?:method|information)|valid credit card|unpaid|arrearage|overdue|past invoices/,
  /\b(?:spend(?:ing)?|hard) limit|budget (?:has been )?exceeded|enable billing/,
  /free tier[^\n]{0,40}(?:exhausted|not available)|\bextra usage\b|usage not included|key limit exceeded/,
  /(?:plan|subscription) has (?:expired|ended)|not have a(?:n|ny)? (?:valid|active) (?:\w+ ){0,2}(?:plan|subscription)/,
  /not (?:yet )?(?:available|included?)[^\n]{0,30} your current (?:subscription )?plan|current (?:subscription )?plan does not/,
  /余额不足|欠费|额度(?:不足|已?用[尽完])|套餐(?:已到期|已过期|暂未开放)|请充值/,
);

/** With status 402 a missing plan, with 429 only advice. */
const UPGRADE = /upgrade your|add more credits/;

const OVERLOADED = anyOf(
  /overload|(?:over|at|out of|no) capacity|(?<!rate )capacity (?:temporarily )?exceeded/,
  /high (?:demand|traffic|load)\b|(?:server|service|engine)(?: is)? (?:currently |too )*busy|too busy/,
  /service (?:is )?(?:temporarily |currently )?(?:unavailable|unable)|temporarily (?:unable|unavailable|out of)/,
  /model (?:is )?not (?:ready|loaded)|loading model|is (?:currently |still )?loading|queue (?:is )?full|maximum pending requests/,
  /过载|繁忙|饱和|访问量过大|负载(?:过高|较高)|模型(?:未加载|加载中|未就绪)/,
);

const RATE_LIMITED = anyOf(
  /rate[ -]?limit|too many (?:\w+ )?requests|too many tokens[^\n]{0,20}(?:wait|per day|processed)/,
  /\b[rt]p[mdh]\b|\bqp[sm]\b|(?:tokens|requests|calls)(?: per |\/|\s\/\s)(?:second|minute|hour|day|month)/,
  /resource(?: has been|s)? exhausted|throttl|cool(?:ing)?[ -]?down|max (?:concurrency|rpm)|concurrency limit/,
  /(?:quota|usage|allowance|allocation|request limits?|usage limits?)[^\n]{0,12} (?:has been )?(?:exceeded|reached|exhausted|used up)/,
  /(?:exceed\w*|reached|hit|used up)[^\n]{0,45}\b(?:quota|allowance|allocation|usage limits?|requests? limits?)\b/,
  /(?:daily|weekly|monthly|hourly)(?:\/(?:daily|weekly|monthly))* (?:\w+ )?limit|limit will reset/,
  /限流|流量限制|请求(?:过多|过于频繁|频繁)|频率|速率|并发|使用上限|次数限额|配额/,
);

/** The model does not exist or does not support this API; another model may. */
const NO_SUCH_MODEL = anyOf(
  /\bmodels?\b[^\n]{0,60}\b(?:not exist|not found|not (?:a )?valid|not (?:currently )?(?:supported|available|enabled|deployed)|decommissioned|deactivated|deprecated|retired|no longer available)\b/,
  /\b(?:no such|unknown|invalid|not found the|(?:not a )valid) model\b|unable to access (?:the )?model/,
  /模型[^。\n]{0,12}(?:不存在|未找到|已下线)/,
);

/** A part of the request and a statement about its size. */
const TOO_LONG = anyOf(
  /\b(?:prompt|inputs?|requests?|contexts?|messages|conversation|tokens?)\b[^\n]{0,90}(?:\bexceed|\btoo (?:long|large|many tokens)|\b(?:longer|larger|greater) than\b|\bover the (?:limit|maximum)\b|\bmust (?:be|have) (?:less|fewer|smaller|<)|\bcannot exceed\b)/,
  /too many tokens|maximum context length|ran out of [^\n]{0,30}\b(?:context|tokens)|context length is only|context (?:window|length|size) (?:is )?exceed/,
  /\b(?:context|prompt|model) (?:window|length|size|limit)[^\n]{0,60}(?:requested|resulted in|contains|your (?:request|prompt|messages)|not enough)/,
  /^(?:error: )?context overflow *:|due to context overflow/,
  /range of input length|max(?:imum)? (?:input|prompt) (?:characters|length|tokens)|shorter (?:input|prompt|conversation)/,
  /reduce (?:the |your )?(?:length|size|number) of [^\n]{0,20}(?:messages|prompt|input|context)/,
  // The output space was negative after the prompt was subtracted.
  /max tokens must be at least 1, got -/,
  /超长|上下文[^。\n]{0,10}(?:过长|过大|超)|输入[^。\n]{0,10}(?:过长|超)|(?:超出|超过|压缩)[^。\n]{0,12}上下文/,
);

/** A limit of five digits or more is that of a message; ids and names have shorter limits. */
const LONG_STRING = /string too long[^\n]*maximum length \d{5}/;

/** Limits that a shorter conversation would not meet either. */
const OTHER_LIMIT = /\b(?:image|file|attachment|document|audio|upload)s?\b|string too long/;

/** The requested output is too long, whatever the input. */
const OUTPUT_LIMIT =
  /\bmax(?:imum)?(?: \w+)? tokens\b[^\n]{0,80}(?:too large|the model limit|must be (?:less|<)|at most|should be)/;

function isTooLong(words: string): boolean {
  if (LONG_STRING.test(words)) return true;
  if (OTHER_LIMIT.test(words)) return false;
  if (OUTPUT_LIMIT.test(words) && !/\b(?:inputs?|prompt|messages)\b/.test(words)) return false;
  return TOO_LONG.test(words);
}

const BILLING = /\bbilling\b/;

/** A page that checks whether the client is a browser. */
const CHALLENGE = /just a moment|checking your browser|enable javascript and cookies|challenge-platform/;

const UNAUTHORIZED = anyOf(
  /(?:invalid|incorrect|wrong|missing|no|revoked|expired|disabled)\b[^\n]{0,20}\b(?:api[ -]?key|credentials?|(?:access|auth\w*|bearer|security) token)|invalid token\b(?! count)/,
  /\b(?:key|credentials?|(?:access|auth\w*|oauth|bearer|security) token)\b[^\n]{0,50}\b(?:invalid|incorrect|revoked|expired|disabled|deactivated|deleted|not (?:found|valid)|no longer valid|missing|required|leaked)|token has expired|token refresh failed/,
  /could not (?:authenticate|validate)|re-?authenticate|unauthori[sz]ed|unauthenticated|authentication|no auth available|login fail|certification failed/,
  /permission (?:denied|error)|insufficient permission|missing scopes?|access denied|(?<!extra )forbidden|not authorized|not allowed (?:to use|for this)/,
  /\b(?:organization|account|workspace|team)\b[^\n]{0,20} (?:is|was|has been) (?:currently )?(?:disabled|deactivated|suspended|restricted|locked|terminated|banned)|deactivated workspace/,
  /\b(?:location|region|country|territory)\b[^\n]{0,20} not (?:supported|available|allowed)/,
  /令牌|身份验证|鉴权|认证失败|无权|密钥|\bapi ?key ?无效|账户[^。\n]{0,6}(?:锁定|不存在|非活动)/,
);

const TRANSIENT = anyOf(
  /deadline exceeded|time[d ]?[ -]?out|fetch failed|network|socket|\be(?:conn\w+|notfound|timedout|pipe|ai again|host\w+|net\w+)\b|\bund err\b/,
  /no such host|\bdns\b|connect(?:ion)? (?:error|reset|refused|closed|lost|aborted|terminat\w+|timed)|cannot connect|unable to connect|other side closed|premature close/,
  /(?:internal|upstream) (?:connect )?(?:server )?(?:error|exception)|server (?:error|exception)|\bapi error\b|unexpected error|error occurred|bad gateway|gateway/,
  /without (?:sending any|a finish)|stream (?:was |read )?(?:ended|closed|error|aborted|reset)|ended early|terminated|hang ?up|was aborted|goaway/,
  /\breason: (?:abort|error|malformed response)|^request failed\.?$/,
  /超时|网络|连接(?:错误|失败|重置|中断)|内部错误|系统(?:异常|错误)|服务器/,
);

const MALFORMED = anyOf(
  /invalid (?:\w+ ){0,2}(?:request|argument|format|parameter|schema)|should match|malformed (?!function)|bad request|unsupported|unprocessable/,
  /validation (?:error|exception|failed)|\btool (?:use|call)[. ]ids?\b|conversation must|message prefill/,
);

/** 408, 425 and 499 are about time, 424 about the model, 5xx about the server: a later try may succeed. */
function isTransient(status: number | undefined): boolean {
  return status !== undefined && ([408, 409, 424, 425, 499].includes(status) || status >= 500);
}

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join("|"), "m");
}
