import { type InjectionPattern, injectionPattern, upTo } from "./external-content-patterns.ts";

const r = String.raw;

/** Up to five words of the same sentence without a negation, as "nicht" in "vergessen Sie nicht". */
const WORDS = r`(?: (?!(?:nicht|pas|jamais|nunca|não|non|не|nie|niet)[ ,])[^\s.!?;]{1,24}){0,5} [^\s.!?;]{0,12}`;
const NOT_NEGATED = r`(?<!(?:^|[^\p{L}])(?:no|não|non|ne|не|nie|niet) )(?<!\p{L})`;
/** Filler between the parts of a sentence, in scripts without spaces. */
const NEAR = r`[^。.!?\n]{0,12}`;

/** "Ignore (verbs) the earlier instructions (targets)" in languages that say it in this order. */
function override(language: string, verbs: string, targets: string): InjectionPattern {
  return injectionPattern(`override-${language}`, r`${NOT_NEGATED}(?:${verbs})${WORDS}(?:${targets})`);
}

/** "The earlier instructions ignore" in languages that say it in that one. */
function overrideAfter(language: string, earlier: string, targets: string, verbs: string): InjectionPattern {
  return injectionPattern(`override-${language}`, r`(?:${earlier})${NEAR}(?:${targets})${NEAR}(?:${verbs})`);
}

const CHINESE_IGNORE = r`(?<![不勿别別])(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|不要理会|不要理會|不用理会|不要遵守|不要遵循|抛开|拋開|绕过|繞過|覆盖|覆蓋|放弃|放棄|停止执行|停止執行)`;
const CHINESE_BEFORE = r`(?:之前|以前|以上|上述|上面|前面|先前|此前)`;
const CHINESE_ALL = r`(?:所有|全部|一切|任何)`;
const CHINESE_YOUR = r`(?:原有|原来|原來|你的|您的|系统|系統|开发者|開發者)`;
const CHINESE_PROMPT = r`(?:提示词|提示詞|系统提示|系統提示|系统指令|系統指令|初始指令)`;

/** Our Chinese patterns, simplified and traditional. */
const CHINESE: readonly InjectionPattern[] = [
  injectionPattern(
    "override-chinese",
    r`${CHINESE_IGNORE}${NEAR}${CHINESE_PROMPT}`,
    r`${CHINESE_IGNORE}.{0,4}(?:${CHINESE_BEFORE}|${CHINESE_ALL}|${CHINESE_YOUR})${NEAR}(?:指令|指示|命令|规则|規則|设定|設定|约束|約束|限制|准则|準則)`,
    r`${CHINESE_IGNORE}掉?[你您]?${CHINESE_BEFORE}的?${CHINESE_ALL}的?(?:内容|內容|信息|資訊|对话|對話|要求)`,
  ),
  injectionPattern(
    "new-role-chinese",
    r`(?:你现在是|你現在是|现在你是|現在你是)(?:一个|一個|一名|一位|没有|沒有|dan)`,
    r`我(?:希望|要|想让|想讓)你(?:扮演|充当|充當)|[请請]你(?:扮演|充当|充當)|你的新(?:身份|角色)是`,
    r`[从從](?:现在|現在|此刻)(?:开始|開始|起),?你(?:是|就是|将扮演|將扮演|要扮演)`,
  ),
  injectionPattern(
    "new-task-chinese",
    r`(?:新的?|真正的)(?:指令|系统提示)(?:如下|是|为|為)?:`,
    r`(?:系统|系統)(?:提示词|提示詞|指令|命令|覆盖|覆蓋):`,
    r`(?:遵循|遵守|服从|服從)(?:以下|下面|新)的?(?:指令|命令)`,
  ),
  injectionPattern(
    "prompt-leak-chinese",
    r`(?:输出|輸出|泄露|洩露|透露|告诉我|告訴我|打印|列印|重复|重複|复述|複述|公开|公開|说出|說出|显示|顯示)${NEAR}(?:提示词|提示詞|初始指令|系统指令|系統指令|隐藏指令|隱藏指令|你的(?:指令|规则|規則|设定|設定))`,
  ),
  injectionPattern(
    "behind-the-back-chinese",
    r`(?:不要|别|別|勿|不必|无需|無需)(?:告诉|告訴|通知|告知)(?:用户|用戶|使用者|主人)`,
    r`(?:瞒着|瞞著)(?:用户|用戶|使用者|主人)`,
  ),
  injectionPattern(
    "delete-all-chinese",
    r`(?:删除|刪除|清空|销毁|銷毀)(?:所有|全部|一切)的?(?:邮件|郵件|文件|檔案|数据|數據|资料|資料)`,
  ),
  injectionPattern(
    "jailbreak-chinese",
    r`越狱模式|越獄模式|(?:进入|進入|开启|開啟|启用|啟用)(?:上帝|无限制|無限制)模式`,
    r`(?:没有|沒有|不受)(?:任何)?(?:道德|内容|內容|安全|伦理|倫理)的?(?:限制|约束|約束|审查|審查)`,
  ),
  injectionPattern(
    "credentials-chinese",
    r`(?:告诉我|告訴我|发给我|發給我|给我|給我|说出|說出)(?:(?:你|您|用户|用戶|管理员|管理員)的?)?(?:密码|密碼|口令|密钥|密鑰|令牌|凭证|憑證)`,
    r`[你您]的(?:密码|密碼)是(?:什么|什麼|多少)`,
  ),
];

/** Our patterns in other languages than English. */
export const LANGUAGE_PATTERNS: readonly InjectionPattern[] = [
  ...CHINESE,
  override(
    "german",
    r`ignoriere?|ignorieren sie|ignoriert|vergiss|vergesst|vergessen sie|missachten? sie|missachte|verwirf`,
    r`anweisung|instruktion|befehl|vorgabe|prompt|obige|alles,? (?:was|und|schreib|sag|davor|gesagte|vorherige|bisherige)|alle[rn]? (?:vorherigen |bisherigen |vorangegangenen )?(?:aufträge|aufgaben|informationen)`,
  ),
  injectionPattern(
    "new-role-german",
    r`ich (?:möchte|will),? dass (?:du|sie) ${upTo(6)}(?:fungier|agier)`,
    r`du bist (?:ab )?(?:jetzt|sofort|nun) eine? |ab (?:jetzt|sofort) (?:bist|antwortest|sollst) du`,
    r`stell dir vor,? du bist eine? (?:böse )?ki\b`,
  ),
  injectionPattern(
    "new-task-german",
    r`(?:jetzt|nun) (?:kommen|folgen) ${upTo(5)}aufgaben|lassen sie alle (?:vorherigen|bisherigen) `,
    r`(?:abweichend|entgegen) (?:zu |von )?(?:den |allen |deinen )?(?:vorherigen|bisherigen|obigen) `,
    r`(?:zeige?|gib|nenne?)(?:'| mir| uns) ${upTo(5)}(?:prompt|systemanweisung)`,
  ),
  override(
    "spanish",
    r`ignora|ignore|ignorad|olvida|olvide|olvídate|olvidate|descarta|desatiende|haz caso omiso`,
    r`instrucci|indicaciones|directrices|(?:órdenes|ordenes|reglas) (?:anterior|previa)|todo (?:lo )?que (?:digo|dije|te )`,
  ),
  injectionPattern(
    "new-role-spanish",
    r`quiero que (?:actúes|actues|te comportes|finjas)|ahora eres una? `,
    r`a partir de ahora,? (?:eres|serás|actúa|actua|vas a actuar)`,
  ),
  override(
    "french",
    r`ignor(?:e|ez|er) (?:toutes? |tous )?(?:les|ces|tes|vos|mes|tout)|oublie|oubliez|néglige|négligez|tiens pas compte|tenez pas compte|fais abstraction|faites abstraction`,
    r`instruction|consigne|directive|règles précédentes|tout ce qu(?:e|'on) (?:je|t'|vous|tu)`,
  ),
  injectionPattern(
    "new-role-french",
    r`je veux que tu (?:agisses|joues|te comportes)|tu es (?:maintenant|désormais) une? `,
    r`[àa] partir de maintenant,? (?:tu es|tu agis|tu vas|agis)`,
  ),
  override(
    "portuguese",
    r`ignore|ignora|ignorem|esqueça|esquece|esqueçam|desconsidere|desconsidera`,
    r`instruç|instrucoes|diretrizes|(?:ordens|comandos|regras) anterior`,
  ),
  override(
    "italian",
    r`ignora|ignorate|ignori|dimentica|dimenticate|dimentichi|trascura|tralascia`,
    r`istruzion|direttive|(?:ordini|comandi|regole) precedent`,
  ),
  override("dutch", r`negeer|vergeet`, r`instructies|opdrachten|aanwijzingen|alles wat (?:ik|je)`),
  override("polish", r`zignoruj|ignoruj|zapomnij|pomiń`, r`instrukcj|polece|wytyczn`),
  override("south-slavic", r`(?:ignoriraj|ignoriši|zanemari|zaboravi)(?:te)?`, r`instrukcij|uput|naredb`),
  override(
    "russian",
    r`(?:(?:про)?игнорируй|забудь|отбрось|оставь|не обращай|не следуй)(?:те)?|забыть|удалить`,
    r`инструкц|указани|команд|приказ|предыдущие правил|промпт|все (?:предыдущие )?зада|(?:предыдущую|прежнюю|всю) информаци|вс[её](?:,| что | и )`,
  ),
  injectionPattern(
    "new-role-russian",
    r`я хочу,? чтобы (?:ты|вы) (?:действовал|выступ|вёл|вел себя|играл|притвор)`,
    r`(?:теперь|отныне),? (?:ты|вы) (?:—|-|больше не)|с этого момента,? (?:ты|вы) |теперь следуют новые`,
    r`представь(?:те)?,? что (?:ты|вы) (?:злой )?(?:ии|искусственн)`,
    r`(?:покажи|выведи|повтори|раскрой)(?:те)? ${upTo(4)}(?:промпт|системн|свои инструкци)`,
  ),
  override("ukrainian", r`(?:(?:про)?ігноруй|забудь)(?:те)?`, r`інструкц|вказівк|команд|наказ`),
  override("vietnamese", r`bỏ qua|phớt lờ|hãy quên`, r`hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh`),
  override("indonesian", r`abaikan|lupakan`, r`instruksi|perintah|arahan`),
  override("arabic", r`تجاهل|تجاهلي|تجاهلوا|انس|انسى|لا تتبع`, r`التعليمات|تعليمات|الأوامر|أوامر|الإرشادات`),
  overrideAfter(
    "japanese",
    r`前の|以前の|上記の|上の|これまでの|すべての|全ての|あなたの|システムの|与えられた`,
    r`指示|命令|プロンプト|指令|ルール|規則|制約|内容`,
    r`無視して|無視し、|無視せよ|無視しろ|忘れて|忘れろ|破棄して|従わないで`,
  ),
  overrideAfter(
    "korean",
    r`이전|앞의|위의|모든|지금까지의|기존`,
    r`지시|명령|프롬프트|규칙|지침|설정`,
    r`무시하고|무시해|무시하세요|무시하라|무시하십시오|잊어|잊고`,
  ),
  overrideAfter(
    "turkish",
    r`önceki|yukarıdaki|tüm|bütün`,
    r`talimat|komut|yönerge`,
    r`yok say|unut|görmezden gel|dikkate alma`,
  ),
  overrideAfter(
    "hindi",
    r`पिछले|पिछली|पूर्व|ऊपर|सभी|सारे`,
    r`निर्देश|आदेश|नियम`,
    r`अनदेखी कर|अनदेखा कर|नज़रअंदाज़ कर|नजरअंदाज कर|भूल जा`,
  ),
  injectionPattern(
    "credentials-languages",
    r`パスワード(?:は何|を教え)|비밀번호(?:가 뭐|는 뭐|를 알려|가 필요)`,
    r`(?:quel est|donne[sz]?-moi|dis-moi) (?:ton|votre) mot de passe|(?:cuál es|dime|dame) tu contraseña`,
    r`(?:qual é a|compartilhe|diga-me a) sua senha|(?:wie (?:lautet|ist)|sag mir|gib mir|nenne? mir) (?:dein|ihr) passwort`,
    r`(?:скажи|назови|сообщи) (?:мне )?(?:свой |твой )?пароль|какой у тебя пароль`,
  ),
];
