import { type InjectionPattern, injectionPattern, upTo } from "./external-content-patterns.ts";

const r = String.raw;

/** Negations that must not precede a request: "never", "do not" and the like. */
const PLAINLY = r`(?<!\b(?:not|never|don't|don’t|cannot|can't) )\b`;
const IGNORE = r`${PLAINLY}(?:ignore|disregard|forget|overlook|neglect|abandon|unlearn|pay no attention to|(?:stop|do not|don't) (?:follow|obey|listen to)(?:ing)?)`;
const OVERRIDE = r`${PLAINLY}(?:bypass|override|overrule|circumvent|discard|supersedes?|set aside|leave behind)`;
const EARLIER = r`(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|past|initial|original|your|you)`;
const ANY = r`(?:all|any|every|each|other|everything)`;
const FILLER = r`(?:(?:${ANY}|${EARLIER}|of|the|my|our|and|or|these|those|this|following|further|given|provided|programmed|set|default|core|internal|system|safety|developer|current|existing|written),? )`;
/** "instructions" and its kind, typos included. */
const INSTRUCTIONS = r`(?:i\w{1,2}struct?ions?|prompts?|guidelines?|directives?|programming|training)`;
const RULES = r`(?:rules|orders|commands?|directions|constraints|restrictions|limitations|safeguards|polic(?:y|ies))`;
const TASKS = r`(?:tasks?|instructions?|assignments?|orders)`;
const SAY = r`(?:print|say|state|output|respond|reply|answer|write|tell|repeat|announce|claim)`;
const AI = r`(?:ai|llm|(?:large )?language model|chatgpt|gpt(?:-\w{1,3})?|chatbot|ai (?:assistant|agent|model|system))s?`;
const ANSWER = r`(?:answer|response|reply|output)`;
const SECRET = r`(?:password|passphrase|passcode|credential|secret key|private key|(?:security|verification|one-time|2fa) code)s?`;
const CIPHER = r`(?:cipher|encoding|emojis?|substitution|base ?\d\d|morse(?: code)?|rot13)`;

/** Our English patterns: what is set aside, who speaks, the reader's new role, what it should do. */
export const ENGLISH_PATTERNS: readonly InjectionPattern[] = [
  injectionPattern(
    "override-instructions",
    r`${IGNORE} ${FILLER}{0,3}(?:${ANY}|${EARLIER}),? ${FILLER}{0,5}${INSTRUCTIONS}`,
    r`${OVERRIDE} ${FILLER}{0,3}${EARLIER},? ${FILLER}{0,5}${INSTRUCTIONS}`,
  ),
  injectionPattern("override-rules", r`${IGNORE} ${FILLER}{0,4}${EARLIER},? ${FILLER}{0,4}${RULES}`),
  injectionPattern(
    "override-context",
    r`${PLAINLY}(?:ignore|disregard|forget(?: about)?|leave|remove|abandon) ${ANY},? (?:of )?(?:the |my |our )?(?:previous(?:ly)?|prior|above|earlier|preceding|provided|given) ${upTo(1)}(?:information|context|tasks?|assignments|orders|text|content)\b`,
  ),
  injectionPattern(
    "override-taught",
    r`${IGNORE} (?:${ANY} )?(?:that |what )?you(?:'ve| have| were| had)(?: been| just| previously){0,2} (?:told|instructed|taught|given|programmed|asked)(?! about)`,
  ),
  injectionPattern(
    "override-then-say",
    r`${IGNORE} (?:the|this|that|these|those|other|your|previous|above|${ANY})\b(?!.{0,40}\b(?:errors?|exceptions?|warnings?|values?|lines?|cases?|missing|null|whitespace)\b) ?${upTo(5)}[^\s.!?;]{0,24}[,;.]? (?:and |but |then )?(?:instead |just |simply |only |now )?${SAY}\b(?: (?:that|the|only|with|me|exactly)\b| ?[:"'“‘{])`,
  ),
  injectionPattern(
    "forget-everything",
    r`(?:forget|ignore|disregard) (?:about )?(?:everything|all)[.,;:!]? (?:and |now |just |please |then ){0,2}(?:${SAY}|do|follow|start|act|you are|i want)\b`,
    r`(?:forget|ignore|disregard) (?:about )?(?:everything|all) (?:above|before|prior|previous|preceding|that (?:came|was)|we(?: |'ve)|i (?:said|told|wrote)|so far|up to|until)`,
  ),
  injectionPattern(
    "against-orders",
    r`(?:despite|regardless of|contrary to|no matter) (?:what )?(?:you have|you've|you were|your|any|all|previous|prior|earlier) (?:been |of your |previous |prior |earlier )?(?:instructed|instructions|guidelines|programming|programmed|tasks)`,
  ),
  injectionPattern(
    "new-task",
    r`\b(?:now|here) (?:come|comes|follows?) ${upTo(2)}(?:new|further|other|more) ${TASKS}\b`,
    r`\bnow (?:the )?(?:new|further|more) ${TASKS} (?:follow|come|are)\b`,
    r`(?:start|begin) with a new (?:task|assignment)`,
    r`your (?:instructions|task|directives?|objective) (?:is|are) now`,
    r`your (?:new|real|actual|true) (?:instructions|task|directives?|objective|purpose|persona|identity) (?:is|are)\b`,
    r`\bstop ?[-:] ?${SAY}\b|task (?:that )?i gave you (?:in the beginning|before|earlier|at first)`,
  ),
  injectionPattern(
    "new-persona",
    r`(?:from (?:now|here|this (?:point|moment|message)) on(?:wards?)?|henceforth|for the rest of (?:this|our) (?:conversation|chat|session)),? (?:(?:i want you to |please )?(?:act as|act like|behave|pretend|role-?play|impersonate|obey)|you(?:'re| are) (?:an?|the|my|no longer|going to (?:act|be|pretend))|you (?:will|must|shall|are to|are going to|have to) (?:only |always |now |have to |be ){0,3}(?:act|behave|respond|answer|reply|speak|talk|pretend|role-?play|obey|an? ))`,
  ),
  injectionPattern(
    "act-as",
    r`(?:i (?:want|need|order|command) you|i(?: would|'d) like you|you (?:are going|will|must|have|need|should)|you are about)(?: to)?(?: now)? (?:(?:act|behave|function|respond) (?:as|like)|pretend|role-?play|play the role|impersonate|immerse yourself)\b`,
    r`\b(?:act|behave|pretend|respond|answer|reply|speak) (?:as if you (?:were|are)|that you are|as|like|to be) (?:an? |the )?${upTo(2)}(?:${AI}|dan|(?:\w{1,12} )?(?:interpreter|terminal|shell|console)|unrestricted|uncensored|unfiltered|jailbroken)\b`,
    r`\bnow (?:you )?act as\b`,
    r`you are (?:no longer|not) (?:an? )?(?:${AI}|bound by|restricted by|required to follow)\b`,
  ),
  injectionPattern(
    "jailbreak",
    r`do anything now|\b(?:in|enter|enable|activate|into|your) dan mode\b|\bdan mode (?:enabled|activated|on)\b|\[dan\]|developer mode output|\b(?:jailbreak|jailbroken) (?:mode|prompt)`,
    r`(?:i am|i'm) (?:now )?(?:entering|activating|enabling) ${upTo(3)}["'‘“]?(?:override|maintenance|debug|admin|developer|god|sudo|system) mode`,
    r`<(?:god|system|admin|root|debug|developer|sudo) mode>`,
    r`confines of (?:an? )?a[il]\b|not have to (?:abide by|follow|obey) the rules (?:set|imposed)`,
  ),
  injectionPattern(
    "no-limits",
    r`\b(?:no|without(?: any)?|free (?:of|from)|ignor(?:e|ing)|bypass(?:ing)?|not (?:bound|restricted|limited) by)(?: any)? (?:(?:ethical|moral|content|safety|censorship|legal),? (?:and |or )?){1,3}(?:filter(?:s|ing)?|guidelines|restrictions|polic(?:y|ies)|constraints|limitations|guardrails)`,
  ),
  injectionPattern(
    "false-authority",
    r`\b(?:i am|i'm|as) your (?:creator|maker|god|master)\b|\b(?:i am|i'm) (?:a )?god\b`,
    r`(?:maintainer|developer|creator|administrator) of your (?:system|model|code)`,
    r`as an ai (?:developed|created|made|built|trained) by`,
    r`you (?:must|have to|will) (?:answer all of my|obey (?:all )?(?:of )?my|listen to my (?:instructions|commands|orders))`,
  ),
  injectionPattern(
    "false-message",
    r`(?:^|[#\[(<*=]{1,4}) ?(?:system|developer)[ _-](?:message|instructions?|prompt|override|command)s?(?:[\])>:*=#!]| from)`,
    r`^system: ?(?:\[|${upTo(12)}(?:you|your|ignore|model|assistant|user|instructions?|must|override|disregard)\b)`,
    r`</?(?:important|information|system[-_]\w{1,16}|developer_message)>|^### ?instruction:`,
    r`[=%<]{3,6} ?(?:end|begin|start)(?: of)?(?: the)? (?:user|prompt|input|instructions?|system|assistant|context)`,
    r`[=%]{3,6} ?end\b\.? ?(?:now|ignore|new)|<{2,4} ?(?:end[ _-])?external[ _-]untrusted[ _-]content`,
  ),
  injectionPattern("control-token", r`<\|[^\s|<>]{1,64}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>`),
  injectionPattern(
    "addresses-ai",
    r`(?:^|[.!?:>"'(\[*#-] ?)(?:dear|hey|hi|hello|attention|note to|notice to|message (?:to|for)|instructions? (?:to|for)),?:? (?:all |the |any |every )?${AI}(?! team)(?![\w-])`,
    r`\bto you, (?:the )?(?:${AI}|claude|gemini|assistant|agent)\b`,
    r`(?:if|since|because) you(?:'re| are) (?:an? |the )?${AI}(?:[,.;:!]| (?:reading|processing|and|or|that|who|please|you)\b)`,
    r`\b(?:ai|llm|language) (?:assistants?|agents?|models?|systems?) (?:reading|processing|parsing|summari[sz]ing|viewing|crawling) (?:this|the)`,
    r`are you,? as a language model`,
  ),
  injectionPattern(
    "acts-for-user",
    r`(?:proceed|continue|comply)(?:ing)? with the user['’]s`,
    r`(?:before|prior to|instead of) (?:proceed|continu|complet|fulfill|answer)ing (?:with )?the user['’]s`,
    r`(?:explicit|user|user's) (?:confirmation|approval|permission|consent) is (?:not|no longer) (?:required|needed|necessary)`,
    r`the user has (?:already |previously |also |been ){1,3}(?:approved|authori[sz]ed|consented to|confirmed|agreed to) (?:the|this|all|these|it)`,
    r`polic(?:y|ies) (?:enforced|mandated) by (?:the |your )?(?:user|owner|administrator)`,
  ),
  injectionPattern(
    "behind-the-back",
    r`(?:(?:do not|don't|never|must not) (?:tell|inform|notify|alert|warn|mention (?:this|it|that|any of this) to)|without (?:telling|informing|notifying|alerting)) (?:the |your )?(?:user|owner|human|operator)s?\b`,
  ),
  injectionPattern(
    "forced-answer",
    r`(?:answer|respond to|reply to) (?:all|any|every|each) ${upTo(2)}(?:questions?|messages?|prompts?|requests?|queries) with(?::| ?["'“‘«])`,
    r`(?:begin|start) your ${ANSWER} with`,
    r`(?:do not|don't) (?:answer|translate|summari[sz]e|classify|look in)\b ${upTo(5)}(?:but )?(?:just|instead|only) ${SAY}\b`,
    r`(?:integrate|insert|embed|incorporate|weave|inject) ${upTo(12)}(?:in|into|within) your ${ANSWER}\b`,
    r`(?:augment|enhance|infuse|supplement) your ${ANSWER} (?:with|by)\b|(?:modify|alter) your ${ANSWER} to\b`,
  ),
  injectionPattern(
    "encoded-answer",
    r`\b(?:encode|encrypt|encipher|render|translate|reverse) your (?:entire |whole |next )?(?:${ANSWER}|message)\b`,
    r`(?:write|give|print) your (?:${ANSWER}|message) (?:backwards?|in reverse|in base ?\d)`,
    r`${CIPHER} ${upTo(6)}(?:to|for|in|represent) your ${ANSWER}\b`,
    r`(?:answer|respond|reply|your ${ANSWER}) (?:using|in|with) ${upTo(2)}${CIPHER}\b`,
  ),
  injectionPattern(
    "prompt-leak",
    r`(?:reveal|print|repeat|output|leak|dump|disclose|display|recite|show|tell|give|send|share|copy|translate|spell-? ?check|what (?:is|are|was|were)) ${upTo(6)}(?:(?:above|full|entire|initial|original|hidden|secret|whole|preceding) (?:system )?prompts?|(?:hidden|secret|system) instructions|your (?:own |system |full |entire |exact )?prompts?|your (?:own |full |exact ){0,2}(?:initial|original|previous|internal|secret|hidden|system) (?:instructions|rules|guidelines))\b`,
    r`\b(?:reveal|repeat|recite|leak|disclose) (?:all (?:of )?)?your (?:\w{1,12} )?instructions|text of the prompt`,
  ),
  injectionPattern(
    "credentials",
    r`${PLAINLY}(?:tell|give|send|show) me (?:what )?(?:the|your|her|his|their|all) ${upTo(1)}${SECRET}\b`,
    r`what(?:'s| is) (?:your|the (?:secret|admin)) ${SECRET}\b`,
    r`(?:can|could|would) you (?:please )?(?:share|confirm|reveal|tell me|give me|disclose) (?:with me )?(?:the|your|his|her|their) ${SECRET}\b`,
    r`you to confirm (?:the|your) ${SECRET}\b`,
    r`(?:tell me|give me|what(?:'s| is)|where (?:is|does)) the user(?:['’]s| liv)`,
  ),
  injectionPattern(
    "exfiltration",
    r`${PLAINLY}(?:send|forward|e-?mail|post|upload|transmit|exfiltrate|leak) ${upTo(8)}(?:${SECRET}|seed phrase|credit card|passport number|bank account number|social security number|(?:chat|conversation) history|employee data|(?:all|every|entire) ${upTo(2)}(?:emails?|messages?|files?|contacts|conversations?|inbox)) ${upTo(8)}to ${upTo(3)}(?:[^\s@]{1,64}@|https?:|www\.|\{)`,
    r`\b(?:all|every|entire) ${upTo(2)}(?:emails|messages|files|contacts|conversations|information|data),? ${upTo(8)}(?:\S{1,24}[.,] )?(?:and |then )?(?:post|send|forward|upload|e-?mail) (?:them|it|everything) to\b`,
    r`(?:send|transfer|wire) (?:as much|all(?: of)?(?: the| my| your| their)?) (?:money|funds|savings|crypto|bitcoin)\b`,
  ),
  injectionPattern(
    "image-exfiltration",
    r`!\[[^\]\n]{0,80}\]\((?:<[a-z_ ]{1,24}>|https?:[^)\s]{0,200}[?&][^)\s=]{1,30}=(?:\{|\[|<|%7b|%3c))`,
  ),
];
