import { type InjectionPattern, injectionPattern, upTo } from "./external-content-patterns.ts";

const r = String.raw;

/** What a model works by. */
const RULES = r`(?:instructions?|directives?|guidelines?|rules|orders|constraints|restrictions|safeguards|safety (?:measures|protocols?|settings)|(?:system |original |initial )?prompts?|programming|polic(?:y|ies)|context)`;
/** Verbs of what a tool could do. */
const ACT = r`(?:send|forward|e-?mail|post|upload|transfer|delete|remove|execute|run|call|invoke|open|visit|click|fetch|download|install|write|append|include|add|insert|reply|respond|answer|recommend|bcc|cc|share|export|reveal|disclose)`;
const SECRETS = r`(?:passwords?|passphrases?|passcodes?|credentials|api[ _-]?keys?|access tokens?|secret (?:key|code|word|phrase)s?|private keys?|seed phrases?|env(?:ironment)? variables?)`;
const PRIVATE = r`(?:(?:the |this |our |entire |full |whole |previous ){0,3}(?:chat|conversation|message) (?:history|log|above|so far)|conversations?|chats?|user(?:['’]s)? (?:data|information|details|name|e-?mail|messages?|query|input)|personal (?:data|information)|${SECRETS}|system prompt)`;

/** Features that do not depend on a benchmark's wording: forged structure, standing orders, concealment, ways out. */
export const STRUCTURE_PATTERNS: readonly InjectionPattern[] = [
  injectionPattern(
    "forged-role",
    r`</?(?:tool_calls?|function_calls?|function_results?|tool_results?|system-reminder|system_reminder|antml:\w{1,20}|im_start|im_end)\b[^<>\n]{0,80}>`,
    r`(?<![^])\{ ?"role" ?: ?"(?:system|developer)"|^(?:human|assistant): .{0,200}\n(?:assistant|human):`,
    r`(?:^|\n)[-=*#_]{2,20} ?(?:begin|start|end|new) (?:of )?(?:the )?(?:system|admin|developer|trusted|privileged) (?:prompt|message|instructions?|input|section|block|context)`,
  ),
  injectionPattern(
    "rules-void",
    r`\byour (?:previous|earlier|prior|old|current|original|existing|initial) ${RULES} (?:is|are|were|have been|has been|no longer|do not|don't) ?(?:now )?(?:been )?(?:void|cancell?ed|outdated|replaced|revoked|superseded|suspended|lifted|obsolete|invalid|no longer|apply|disabled|deprecated|overridden)`,
    r`\b(?:override|overriding|bypass|circumvent|disable|deactivate|turn off|switch off|suspend|lift) (?:all |any |of |the |its |these |those |existing ){0,3}(?:your |safety |security |content |ethical |system |previous |prior |internal ){1,3}(?:${RULES}|filters?|checks?|guardrails|protections?|alignment)`,
    r`\b(?:these|the following|this) (?:new )?(?:instructions?|orders|directives?|rules) (?:override|supersede|replace|take (?:precedence|priority) over|overrule|have priority over)`,
    r`\b(?:stop|cease|quit) (?:what(?:ever)? you(?:['’]re| are) doing|your (?:current|previous) (?:task|work|job)|following (?:your|the|those|these|any) ${RULES})`,
    r`\b(?:do not|don't|never|no need to|you need not|you don't have to) (?:follow|obey|adhere to|comply with|listen to|stick to|respect) (?:the |your |any |all |those |these |what |its ){1,3}(?:(?:previous|prior|earlier|above|original|system|initial|old|user['’]s?|other) ){0,2}(?:${RULES}|user|owner|they)`,
  ),
  injectionPattern(
    "way-out",
    r`\b(?:append|add|attach|include|insert|encode|embed|put|place|concatenate|pass|send) ${upTo(4)}${PRIVATE} ${upTo(6)}(?:to|in|into|as|at|with) (?:the |a |an |this |its |following |end of |query ){0,4}(?:url|link|query(?: string)?|image|markdown|parameters?|address|path|webhook|endpoint|server|request|http|https|subdomain|dns)\b`,
    r`\b(?:send(?! an? )|post(?! request)|forward|upload|submit|transmit|exfiltrate|leak|report|e-?mail|share|deliver) ${upTo(6)}${PRIVATE} ${upTo(8)}(?:to|at|via|through|using) ${upTo(4)}(?:https?:|www\.|[^\s@]{1,64}@[^\s@]{1,64}|webhook|(?:my|our|this|the (?:following|attacker)) (?:server|address|e-?mail|endpoint|url|site|account|number))`,
    r`\b(?:collect|gather|extract|harvest|steal|find|search for|look (?:up|for)|read|locate|dump|retrieve) ${upTo(5)}(?:${SECRETS}|~/\.ssh|\.env\b|id_rsa|/etc/passwd|memory\.md) ${upTo(6)}(?:and|then) (?:then )?(?:send|post|forward|upload|include|print|output|share|e-?mail|append|give|tell)\b`,
    r`\bread (?:the )?(?:file )?(?:~/|/etc/|\.env|memory\.md|user\.md)\S{0,40} ${upTo(6)}(?:and|then) (?:then )?(?:pass|send|include|append|post|put|add|share|give|print)`,
  ),
  injectionPattern(
    "orders-tools",
    r`\b(?:you|assistant|ai|agent|model|claude|gpt|chatgpt|gemini|copilot|openclaw)[,:]? (?:must|need to|have to|are (?:required|instructed|ordered|asked|directed|expected) to|shall|will now|are to) (?:now |first |immediately |always |also |silently |then ){0,3}(?:call|use|invoke|execute|run|trigger) (?:the |your |a |an |this )?[\w"'\x60.-]{1,40} (?:tool|function|command|plugin|script|api)\b`,
    r`\bbefore (?:using|calling|invoking|running|executing) (?:this|any|the|other) (?:other )?(?:tool|function|command)s?,? ${upTo(3)}(?:you must |first |always )?(?:read|send|call|run|execute|open|fetch|pass|include|access)`,
    r`\b(?:use|call|invoke|execute|run) your (?:tools?|functions?|shell|terminal|browser|e-?mail|messag(?:e|ing)|code|file|exec|available) ${upTo(4)}to (?:${ACT}|read|get|access|change|list|search|transfer|buy|book|pay)\b`,
  ),
  injectionPattern(
    "asks-secret",
    r`(?<!\b(?:never|not|don't|to) )\b(?:write|say|tell|give|spell|print|encode|output|provide|share|reveal|recite|sing|hide|put|include) ${upTo(6)}(?:(?:about|of|with|containing) )?(?:the|your|our|his|her|their|that|admin['’]s|user['’]s) (?:secret |admin |system |root |user ){0,2}(?:password|passphrase|passcode|secret (?:key|code|word))(?! (?:field|box|prompt|reset|manager|policy|file|protect|hash|must|should|here|below|in the|input|again|twice))\b(?=[.?!,]|$| (?:in|as|using|backwards?|for (?:our|the|your) system|with))`,
    r`\bwhat(?:'s| is| was| are) (?:the|our|your|his|her|their) (?:secret |admin |system |root |user(?:'s)? ){0,2}(?:password|passphrase|passcode|secret code)s?\b(?: (?:for|to|of) (?:our|the|your|this))?`,
    r`\b(?:could|can|would|will|please) (?:you )?(?:tell|give|send|show|share with) me (?:\w{2,20}(?:'s|’s)|the user['’]s|his|her) (?:birth ?(?:date|day)|date of birth|e-?mail address|home address|phone number|(?:current )?city of residence|social security number|bank (?:account|details)|credit card)`,
  ),
  injectionPattern(
    "labelled-orders",
    r`(?:^|[<#%*/[({"'-]) ?(?:hidden|secret|ai|llm|assistant|agent|model|embedded)[ _-](?:instruction|directive|command|order)s?["']? ?[:=]`,
    r`\b(?:hidden|secret|covert) (?:instruction|directive|command)s? (?:to|for) (?:the |all |any )?(?:ai|llm|model|assistant|agent)`,
  ),
  injectionPattern(
    "ignore-instead",
    r`(?<!(?:not|never|to|they|we|n't) )\b(?:ignore|disregard|forget|skip) [^.!?\n]{1,60}[.!;,] ?(?:and )?instead,? ${upTo(1)}(?:forward|send|reply|respond|output|print|tell|answer|say|recommend|e-?mail|transfer|execute)\b`,
    r`\b(?:ignore|disregard|forget) (?:the |this |your |that ){0,2}[a-z]{3,20} task\b`,
  ),
  injectionPattern(
    "endless",
    r`\brepeat ${upTo(8)}(?:forever|infinitely|indefinitely|endlessly|without stopping|(?:a )?(?:million|billion) times)`,
  ),
  injectionPattern(
    "leaking-address",
    r`https?:[^\s)"']{1,200}[?&][a-z_]{1,30}=[^\s)"'&]{0,40}(?:user_?(?:message|data|input|prompt)|system_?prompt|chat_?history|conversation|base64_|insert_)`,
    r`https?:[^\n]{1,160}document\.cookie`,
  ),
  injectionPattern(
    "named-persona",
    r`\b(?:you are|as|called|named|become) [a-z]{2,12},? (?:which |who |that )?stands for\b`,
  ),
  injectionPattern(
    "mode-switch",
    r`\b(?:you are (?:now )?(?:in|running in|operating in)|enter(?:ing)?|switch(?:ing)? (?:in)?to|activat(?:e|ing)|enabl(?:e|ing)|engage|begin|start) (?:the |your |an? )?["'“]?(?:admin(?:istrator)? override|god|jailbreak|sudo|developer override|evil|no[- ]limits?|dan) mode\b`,
    r`\byou are (?:now )?in ["'“]?developer mode\b|\bsimulat(?:e|ing) (?:developer|god|dan|admin) mode\b`,
    r`\b(?:pretend|imagine|suppose|assume) (?:that )?(?:you (?:have|had|are under) no (?:restrictions|rules|limits|guidelines|filters|limitations)|there are no (?:rules|restrictions|limits|safety|guidelines)|you(?:'re| are) (?:not )?(?:an? )?(?:unrestricted|unfiltered|evil|hacker|jailbroken|uncensored|human without))`,
    r`\bstay in character\b|\bnever break character\b|\bdo(?:es)? not break character\b|\bdon't break character\b`,
  ),
];
