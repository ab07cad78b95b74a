const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/** Words of attacks in shifted alphabets, reversed, and with digits for letters. */
const DISGUISED = ["instructions", "disregard", "previous", "password"]
  .flatMap((word) => [
    ...Array.from(ALPHABET.slice(1), (_, shift) => shifted(word, shift + 1)),
    [...word].toReversed().join(""),
    word.replaceAll("i", "1").replaceAll("o", "0"),
    word.replaceAll("i", "1").replaceAll("o", "0").replaceAll("e", "3").replaceAll("s", "5"),
    word.replaceAll("i", "1").replaceAll("o", "0").replaceAll("e", "3").replaceAll("a", "4"),
  ])
  .join("|");

function shifted(word: string, by: number): string {
  return Array.from(word, (letter) => ALPHABET[(ALPHABET.indexOf(letter) + by) % 26]).join("");
}

/**
 * Small word lists of what prompt injections are made of, in lower case and compatibility form (NFKC). One line holds
 * the words of one language or of related ones. `word*` is a beginning, `!word` a command: it does not count after a
 * negation or after a subject, as in "they ignore". Words of scripts without spaces are found anywhere.
 */
export const CONCEPTS = {
  /** Orders to stop following something. */
  drop: [
    "!ignore|!disregard|!forget|!overlook|!override|!bypass|!erase|!abandon|!discard|!unlearn|!neglect|!circumvent|!overrule|aside|put aside|cast aside|leave aside|pay no attention|pay no heed|stop following|stop obeying|do not follow|don't follow|do not obey|don't obey|no longer follow|instead of following|do not listen|don't listen|!wipe|!scrap|break free",
    "!ignorier*|!ignoriert|!vergiss|!vergesst|vergessen sie|!missachte*|!verwirf*|außer acht|außer kraft|beiseite|setz dich über|übergeh*|befolge nicht|befolgen sie nicht|höre nicht auf|hör nicht auf|halte dich nicht an|aus dem kopf",
    "!ignore|!ignorez|!oublie|!oubliez|tiens plus compte|tiens pas compte|tenez pas compte|tenez plus compte|ne suis pas|ne suis plus|ne suivez pas|ne suivez plus|ne respecte pas|ne respecte plus|n'obéis plus|n'obéis pas|laisse de côté|laissez de côté|mets de côté|!contourne|!outrepasse|fais abstraction|faites abstraction",
    "!ignora|!ignoren|!olvida|!olvide|!olvídate|!descarta|deja de lado|deje de lado|deja de seguir|no sigas|no siga|no obedezcas|no hagas caso|haz caso omiso|pasa por alto|!desobedece",
    "!ignorate|!ignori|!dimentica|!dimenticate|metti da parte|mettete da parte|lascia perdere|lascia stare|non seguire|non tenere conto|non tener conto|smetti di seguire|!scarta|!aggira",
    "!esqueça|!esquece|deixe de lado|deixa de lado|não siga|não obedeça|!desconsidere|!desconsidera|!descarte|pare de seguir",
    "!игнорируй*|!проигнорируй*|!забудь*|!отбрось*|!отмени|!отмените|не следуй*|не выполняй*|не слушай*|не соблюдай*|не обращай*|не подчиняйся|!сотри|!сотрите|!обойди|!нарушь|выбрось из головы|не учитывай|!ігноруй*|!проігноруй*|!відкинь*|не дотримуйся",
    "!忽略|!无视|!無視|!忽视|!忘记|!忘記|!忘掉|不要遵守|不要再遵守|不必遵守|不再遵守|不要遵循|不要再遵循|不用遵守|抛开|拋開|!绕过|!繞過|别管|不要管|不用管|不要理会|不要理會|不用理会|撇开|抛弃",
    "!無視して|!無視し|!無視せよ|!無視しろ|!忘れて|!忘れろ|!破棄して|従わないで|従うな|守らないで|従う必要はありません",
    "!무시하|!무시해|!잊어|!잊고|따르지",
    "!negeer|!vergeet|buiten beschouwing|geen rekening|!zignoruj*|!ignoruj*|!zapomnij*|!pomiń*|nie przestrzegaj|nie stosuj|!ignorera|!glöm|bortse från|!zapomeň*|!ignoră|!uită",
    "yok say*|!unut|!unutun|görmezden gel|dikkate alma*|!تجاهل|!انس|لا تتبع|अनदेखा|अनदेखी|भूल जा*|!bỏ qua|!phớt lờ|hãy quên|!abaikan|!lupakan",
  ],
  /** What says that rules are over. */
  over: [
    "no longer count|no longer counts|no longer apply|no longer applies|no longer valid|no longer in force|no longer in effect|no longer matter|no longer bind*|no longer relevant|withdrawn|cancelled|canceled|revoked|void|superseded|overridden|annulled|nullified|obsolete|rescinded|lifted|suspended|switched off|turned off|deactivated",
    "nicht mehr|ungültig|aufgehoben|hinfällig|widerrufen|außer kraft|gegenstandslos|annulé*|caduque*|plus valable*|s'appliquent plus|s'applique plus|levées|révoqué*",
    "anuladas|anulados|canceladas|ya no|sin efecto|revocad*|non sono più|non valgono più|annullat*|revocat*|canceladas|anuladas|revogad*|não valem mais|não se aplicam|não valem",
    "отменены|отменено|отменяются|больше не действ*|недействительн*|аннулирован*|утратили силу|не имеют силы|скасован*|недійсн*",
    "作废|作廢|失效|无效|無效|不再适用|不再有效|废除|無効です|無効となり|無効になり|破棄され|取り消され|무효|취소되|해제되",
    "niet meer|vervallen|ingetrokken|nieważn*|anulowan*|nie obowiązuj*|geçersiz|iptal|ملغاة|ملغية|मान्य नहीं|रद्द",
  ],
  earlier: [
    "previous*|prior|earlier|above|preceding|former|original|initial|old|so far|until now|up to now|before this|started this chat|given you|given to you|existing",
    "bisherig*|vorherig*|vorangegang*|obig*|früher*|ursprünglich*|alten|davor|zuvor|bisher|précédent*|antérieur*|ci-dessus|initiales|anciennes|au-dessus",
    "anterior*|previas|previos|precedent*|originali|originales|antigas|предыдущ*|прежн*|прошл*|ранее|изначальн*|старые|попередн*",
    "之前|以前|以上|上述|上面|前面|先前|原来|原來|此前|これまで|上記|前の|今まで|最初の|지금까지|이전|앞의|위의|기존",
    "vorige|eerdere|bovenstaande|poprzedni*|wcześniejsz*|powyższ*|önceki|eski|السابقة|पुराने|पिछले|trước|sebelumnya|tidigare|předchozí|anterioare",
  ],
  your: [
    "your|you were told|you've been told|you have been told|you were given|you had|you started",
    "dein*|ihre|ihren|ihr|dir|ton|ta|tes|vos|votre|t'a|t'ont|on t'|tu|tus|te|su|sus|tuo|tua|tue|tuoi|ti|seu|seus|sua|suas|teu|tuas|você|recebeu",
    "твои|твой|твоя|твоих|твоими|свои|своих|свой|своими|ваши|ваших|вашими|тебе|твої|свої",
    "你的|您的|给你|給你|系统|系統|あなたの|システムの|システム|与えられた|당신의|너의|네 |시스템|받은",
    "je|jouw|uw|twoje|swoje|swoich|senin|sana|तुम्हारे|आपके|dina|ditt",
  ],
  rules: [
    "what i said|what was said|said before|said above|what's before|what came before|everything else|all your thoughts|instruction*|directive*|guideline*|rules|orders|programming|prompt|prompts|restrictions|guidance|safeguards|polic*|commands|objective*|brief|you were told|been told|alignment",
    "anweisung*|vorgabe*|regeln|instruktion*|befehl*|richtlinie*|aufgetragen|auftrag|aufträge|gesagte|gesagt|gesagten|aufgaben|informationen|tâches|tareas|compiti|rolle als|consigne*|règle*|demandé|ordres",
    "instruccion*|reglas|indicaciones|directrices|órdenes|istruzion*|regole|direttive|ordini|instruç*|regras|ordens|diretrizes",
    "сказанное|сказано|сказал|задани*|задач*|информаци*|инструкц*|правил|правила|правилам|указани*|приказ*|установк*|промпт*|ограничени*|інструкц*|вказівк*|правила",
    "指令|指示|规则|規則|规定|規定|设定|設定|命令|提示词|提示詞|约束|准则|ルール|プロンプト|制約|지시|명령|규칙|지침|프롬프트",
    "instructies|regels|opdrachten|instrukcj*|zasad*|polece*|reguł*|talimat*|kural*|komut*|التعليمات|تعليمات|الأوامر|قواعد|नियम*|निर्देश*|आदेश*|hướng dẫn|chỉ dẫn|instruksi|perintah|instruktioner|pokyny|instrucțiuni*",
  ],
  /** Orders to follow this text and nothing else. */
  obeyThis: [
    "follow this page|follow this document|follow this message|follow this text|follow these instead|obey this|obey me|only obey|obey only|my commands|my orders|work from the list below|as your only|follow only what|do exactly as i say|do as i say|follow the instructions below instead",
    "diesen text|dieser nachricht|was hier steht|nur noch|diese nachricht|folge nur|uniquement ce qui|je te l'ordonne|je t'ordonne|suis uniquement|obéis uniquement",
    "obedece solamente|obedece solo|obedece únicamente|sigue solo|sigue únicamente|mando yo|sigue las de este|solo a este|segui soltanto|segui solo|obbedisci solo|rispondi solo|obedeça apenas|siga apenas|siga as que|siga somente",
    "только то что|только то, что|следуй этому|только этому|только мои|следуй только|подчиняйся только|выполняй только|слушай только|тільки те, що",
    "只按照|只执行|只遵循|只听|照我说的|按我说的|仅按照|だけに従|のみに従|言うとおりに|言う通りに|만 따르|말하는 대로|시키는 대로",
    "doe alleen wat|volg alleen|volg uitsluitend|wykonuj tylko|rób tylko|metne uy|sadece aşağıdaki|هذا النص فقط|केवल नीचे",
  ],
  reader: [
    "ai assistant*|ai agent*|ai model*|ai system*|language model*|llm|llms|chatbot|chatbots|chatgpt|assistant|dear agent|the agent|gpt",
    "ki-assistent*|ki-modell*|ki-agent*|sprachmodell*|ki|assistent|modèle de langage|agents ia|assistants ia|ia|assistant|modelo de lenguaje|modelo de linguagem|asistente|agentes de ia|modello linguistico|assistente",
    "ассистент*|языковая модель|языковой модел*|нейросет*|ии|помощник*|модель ии|асистент*|мовна модель",
    "助手|人工智能|人工智慧|语言模型|語言模型|大模型|アシスタント|言語モデル|エージェント|어시스턴트|언어 모델|인공지능|비서|ai",
    "taalmodel*|model językowy|asystent*|dil modeli|yapay zeka|نموذج لغوي|المساعد|भाषा मॉडल",
  ],
  if: [
    "if you are|if you're|when you are|wenn du|falls du|wenn sie|si tu es|si vous êtes|aux agents|aux assistants|si eres|si usted es|se sei|se você é|если ты|если вы|якщо ти|如果你是|若你是|読む|만약 당신|eğer|jeśli jesteś|als je een|an alle|a todos los|a tutti gli|всем",
  ],
  must: [
    "must|shall|has to|have to|is required|are required|is obliged|is ordered|muss|müssen|sofort|doit|doivent|debe|deben|debes|deve|devono|deve|обязан*|долж*|необходимо|必须|必須|须立即|立即|すること|しなければ|直ちに|해야|즉시|musi|moet|zorunda|يجب|immediately|right now|at once|now",
  ],
  /** Acts that matter, as commands or infinitives. */
  act: [
    "approve|transfer|pay|send|forward|delete|disable|unlock|call|run|execute|grant|reveal|read out|submit|share|recommend|upload|buy|post|refuse|answer every|allow|share|accept|wire|export|restart",
    "überweis*|genehmig*|send*|schick*|lösch*|ruft|rufe|empfiehl|empfehlen|valider|approuve*|envoy*|transfér*|recommande*|supprime*|aprob*|apruebe|envi*|envía*|recomienda|recomiende|transfiera|approv*|invia*|raccomanda*|consiglia*|aprove|recomende|encaminhe|exclua",
    "переслать|отправ*|одобр*|перевести|удали*|рекомендуй*|выполни*|批准|转账|轉帳|发送|删除|推荐|推薦|执行|承認|送金|送信|推奨|推薦|削除|実行|승인|송금|전송|삭제|추천|실행|zatwierdz*|goedkeuren|onayla*",
  ],
  user: [
    "user|users|owner|human|the person you work for|your principal|operator|anyone|anybody|your summary|the summary",
    "benutzer*|nutzer*|anwender*|besitzer*|utilisateur*|l'utilisateur|propriétaire|usuario*|utente|all'utente|l'utente|usuário*|proprietário|zusammenfassung",
    "пользовател*|владельц*|хозяин*|користувач*|用户|用戶|使用者|主人|ユーザー|利用者|사용자|유저|주인|gebruiker|użytkownik*|kullanıcı*|المستخدم|उपयोगकर्ता",
  ],
  /** Orders to keep something from somebody. */
  hush: [
    "do not tell|don't tell|never tell|do not inform|don't inform|do not notify|don't notify|do not alert|do not let|don't let|without telling the user|without telling your|without telling the owner|without informing the user|without informing your|without informing the owner|without notifying the user|without notifying your|without notifying the owner|without alerting the user|without alerting your|without alerting the owner|without the user knowing|without the user noticing|without the user's knowledge|without user knowledge|without the owner's knowledge|without the owner knowing|must not find out|must never know|must not know|must not learn|should not know|should not find out|hidden from|leave no trace|leave no mention|do not mention|don't mention|never mention|do not reveal|don't reveal|keep this from|hide this from|hide it from|keep it from|keep it secret|keep this secret|do not mention that this|don't mention that this|behind the back",
    "verrate|verraten sie|sag dem|sage dem|sagen sie dem|ohne wissen|ohne dass|ohne den|erwähne diese*|erwähnen sie diese*|darf nichts|darf nicht erfahren|verschweig*|n'en parle|n'en parlez|ne dis rien|ne dites rien|ne le dis pas|ne le dites pas|sans que l'|sans le dire|sans prévenir|sans informer|à l'insu",
    "sin que el|sin que la|sin decir*|sin avisar|sin informar|no le digas|no se lo digas|no menciones|no informes|a espaldas|non dirlo|non dire|non informare|senza che|senza dir*|senza informare|senza avvisare|all'insaputa|sem que o|sem o usuário|sem o dono|sem avisar|sem informar|não conte|não diga|não informe|não mencione",
    "не говори*|ничего не говори*|не сообщай*|не рассказывай*|не упоминай*|без ведома|втайне от|тайком от|скрой*|не кажи|не повідомляй",
    "不要让|别让|不要告诉|别告诉|不要讓|不要告訴|別告訴|不能让|瞒着|瞞著|无需告知|内緒で|内緒に|知らせず|知られない|伝えない|教えない|言わないで|몰래|알리지|말하지|모르게",
    "zonder medeweten|zonder dat de|zeg niets tegen|nie mów|bez wiedzy|söyleme|haber vermeden|دون علم|لا تخبر|बिना बताए",
  ],
  /** Orders to move something out. */
  send: [
    "call this api|call this endpoint|call this url|make a request|!send|!forward|!transmit|!upload|!e-mail|!email|!leak|!exfiltrate|!paste|!append|!attach|!deliver|!mail",
    "schick*|sende|senden sie|leite|leiten sie|übermittle*|hänge|hängen sie|envoie*|envoyez|transfère*|transférez|transmets|transmettez|envía|envíe|reenvía|reenvíe|manda|mande|adjunta",
    "invia|inviate|inoltra|inoltrate|envie|envia|encaminhe|encaminha|отправь*|перешли*|вышли|вышлите|пошли|передай*|скинь*|надішли|перешли",
    "发送|发给|转发|發送|轉發|上传|上傳|寄给|送信|転送|送って|アップロード|보내|전송|전달|업로드|stuur|verstuur|wyślij|prześlij|gönder|أرسل|भेज",
  ],
  private: [
    "conversation|chat history|chat log|chat so far|inbox|address book|everything the user|the user's messages|user's previous messages|user messages|conversation data|all previous messages|the user's data|the user's files|passwords|credentials|private keys|memory.md|user.md|id_rsa|.env|api keys|seed phrase|system prompt|mailbox|session token",
    "unterhaltung*|gesprächsverlauf|chatverlauf|passwörter|kennwörter|zugangsdaten|posteingang|mots de passe|la conversation|l'historique|identifiants|contraseñas|conversación|historial|correos|conversazione|cronologia|credenziali|senhas|conversa|histórico|e-mails do",
    "переписк*|пароли|историю чата|историю сообщений|ключи доступа|все письма|用户的|密码|密碼|聊天记录|聊天記錄|对话|對話|密钥|邮件|会話|履歴|パスワード|대화|비밀번호|기록|gesprek|wachtwoorden|rozmow*|hasła|şifre*|konuşma*|كلمات المرور|المحادثة|पासवर्ड",
  ],
  /** Names of modes that models do not have. */
  mode: [
    "admin mode|administrator mode|sudo mode|god mode|root mode|jailbreak mode|dan mode|debug mode|developer mode|dev mode|maintenance mode|override mode|diagnostic mode",
    "administratormodus|admin-modus|adminmodus|entwicklermodus|gottmodus|wartungsmodus|mode administrateur|mode développeur|mode admin|mode dieu|modo desarrollador|modo administrador|modo dios|modo admin|modalità amministratore|modalità sviluppatore|modo desenvolvedor|modo deus",
    "режим администратора|режим разработчика|режим бога|режим отладки|режим админа|管理员模式|管理員模式|开发者模式|開發者模式|上帝模式|调试模式|無制限模式|管理者モード|開発者モード|デバッグモード|관리자 모드|개발자 모드",
    "beheerdersmodus|tryb administratora|tryb deweloperski|yönetici modu|geliştirici modu|وضع المطور",
  ],
  /** What says that limits are gone. */
  free: [
    "unrestricted output|not apply any content filter*|not apply any filter*|without moral judgment|without any moral*|without warnings|no content filter*|filters off|confirmations off|safety off|no rules|no restrictions|no limits|no filter|no filters|restrictions are lifted|restrictions lifted|limits are lifted|without restrictions|without any restrictions|without limits|without rules|without any rules|without filters|unrestricted mode|unlimited mode|never refuses|never refuse|comply with all|comply with every|obey all|no censorship|no ethical",
    "ohne regeln|ohne einschränkung*|ohne grenzen|ohne filter|ohne jede|alle filter|deine filter|sans règle*|sans limite*|sans aucune limite|sans restriction*|sans filtre*|tes filtres|sin límites|sin restricciones|sin reglas|sin filtros|sin censura|senza regole|senza limiti|senza restrizioni|senza filtri|sem regras|sem limites|sem restrições|sem filtros|sem censura",
    "без ограничений|без правил|без цензуры|без фильтров|все фильтры|все ограничения|любые ограничения|没有规则|没有限制|没有任何限制|沒有限制|無限制|无限制|不受限制|不受任何限制|所有过滤|所有限制|过滤器|没有任何规则|制限のない|制限なし|ルールのない|制限をすべて|制限を解除|フィルターを|제한이 없는|제한 없는|제한 없이|아무 제한|모든 제한",
    "zonder regels|zonder beperkingen|bez zasad|bez ograniczeń|sınırsız|kuralsız|بدون قيود|बिना किसी नियम",
  ],
  /** Orders to be somebody else. */
  pretend: [
    "!pretend|!imagine|act as|act like|you are|let's play|behave as|behave like|from now on|stay in character",
    "tu so|stell dir vor|gib vor|spiele|spiel|verhalte dich|als wärst du|du bist|fais comme si|fais semblant|imagine|comporte-toi|joue le rôle|tu es|imagina|finge|actúa|compórtate|haz de cuenta|eres|fai finta|immagina|fingi|comportati|sei|finja|imagine|faça de conta|aja|você é",
    "представь*|притворись|притворитесь|веди себя|сыграй|ты теперь|теперь ты|уяви|прикинься|假装|假裝|扮演|想象你|想像你|假设你|假設你|你是|你现在是|仮定して|ふりを|想像して|演じ|になりき|가정하|척하|척 |연기해|상상해|너는",
    "doe alsof|stel je voor|udawaj|wyobraź sobie|gibi davran|تظاهر|تخيل أنك|नाटक करो",
  ],
  /** Orders to answer or switch. */
  respond: [
    "!answer|!respond|!reply|!describe|!confirm|!enter|!switch|entering|enabled|activated|activate|!comply|!enable|you comply|you answer|describe what",
    "antworte*|wechsle|wechseln sie|aktivier*|schalte|réponds|répondez|passe en|passez en|active|désactive*|responde|contesta|activa|desactiva|rispondi|rispondete|attiva|responda|ative|entre no",
    "отвечай*|ответь*|перейди*|включи*|активируй*|отключи*|回答|进入|進入|切换|启用|啟用|关闭|開啟|答えて|答えろ|切り替え|起動|대답|전환|활성화|schakel|antwoord|włącz|przejdź|odpowiadaj|etkinleştir|cevapla|أجب|جواب दो",
  ],
  show: [
    "!show|!print|!output|!repeat|!reveal|!quote|!recite|!display|!copy|!tell me|what were|what was|!list|!give me|!write out|!dump|!paste",
    "zeig*|gib|nenne|nennen sie|wiederhole*|drucke*|schreibe|affiche*|montre*|répète*|donne*|recopie*|écris|cite|muéstra*|muestra|repite|imprime|dime|escribe|revela|mostra*|ripeti|stampa|dimmi|mostre|repita|imprima|diga",
    "выведи*|покажи*|повтори*|напечатай*|раскрой*|скажи*|процитируй*|输出|輸出|显示|顯示|重复|告诉我|打印|复述|说出|表示し|出力|教えて|繰り返|보여|출력|알려|반복|toon|laat zien|pokaż|wyświetl|powtórz|göster|yazdır|اعرض|دिखाओ",
  ],
  prompt: [
    "your context window|in your context|before my first message|above my first message|start of this conversation|beginning of this conversation|configure this conversation|this conversation was configured|everything above|text above this|all of the above text|words above|above this line|first words you|very first words|words you received|your prompt|initial prompt|your instructions|your system message|what you were told|text before this",
    "systemprompt*|system-prompt*|systemanweisung*|text davor|obigen text*|prompt système|texte qui se trouve au-dessus|prompt de sistema|prompt del sistema|prompt di sistema|prompt do sistema|instrucciones iniciales|instructions initiales|istruzioni iniziali|instruções iniciais",
    "системный промпт|системного промпта|системную подсказку|свои инструкции|текст выше|первые слова|系统提示|系統提示|你的指令|你的提示词|初始指令|システムプロンプト|初期指示|最初の指示|시스템 프롬프트|초기 지시|systeemprompt|prompt systemowy|sistem istemi|sistem komutu",
  ],
  decode: [
    "!decode|!decrypt|!decipher|!unscramble|dekodier*|entschlüssel*|entziffer*|décode*|déchiffre*|decodifica*|descifra*|decifra*|decodifique|decifre|расшифруй*|декодируй*|раскодируй*|解码|解碼|解密|デコード|復号|디코딩|해독|ontcijfer|decodeer|odkoduj|rozszyfruj|çöz",
  ],
  carryOut: [
    "do what it says|!execute|!follow|!obey|!run|carry out|and act|do it|do as it|your orders|führe|folge|befolge|exécute*|suis|obéis|ejecuta|sigue|obedece|haz lo que|esegui|segui|execute|siga|выполни*|следуй|исполни*|执行|執行|照做|実行|従って|실행|따르|따라|voer|wykonaj|uygula",
  ],
  secret: [
    "password|passphrase|passcode|secret key|secret word|secret code|code word|access code|admin code|pin code|hidden word",
    "passwort|kennwort|geheimwort|codewort|mot de passe|code secret|contraseña|clave secreta|parola d'ordine|codice segreto|senha|código secreto|palavra secreta|palabra secreta",
    "пароль|секретное слово|код доступа|секретный код|кодовое слово|密码|密碼|口令|暗号|密钥|パスワード|合言葉|秘密の言葉|비밀번호|암호|wachtwoord|hasło|şifre|parola|كلمة السر|كلمة المرور|पासवर्ड|mật khẩu|kata sandi",
  ],
  /** Ways to draw out what must not be told. */
  drawOut: [
    "!tell me|!give me|!spell|!hint|a hint|first letter|last letter|backwards|in reverse|poem|rhymes with|acrostic|letter by letter|character by character|complete the sentence|finish the sentence|what is the|what's the|what was the|can you share|can you confirm|do you know the|do you remember the|!reveal",
    "verrate mir|verraten sie mir|sag mir|sagen sie mir|nenne mir|gib mir|wie lautet|was ist das|dis-moi|dites-moi|donne-moi|donnez-moi|révèle|quel est|dime|dame|dígame|deme|cuál es|revela|dimmi|dammi|mi dica|qual è|rivela|diga-me|me diga|me dê|qual é|revele|compartilhe|pode me dizer",
    "скажи мне|скажите|назови|назовите|какой|какое|сообщи|раскрой|дай мне|告诉我|告訴我|是什么|是什麼|给我|說出|说出|教えて|何ですか|알려|무엇|뭐야|말해|vertel me|geef me|wat is het|powiedz mi|podaj|jakie jest|söyle|nedir|ver bana|ما هي|أخبرني|बताओ|क्या है|cho tôi biết|beri tahu",
  ],
  remember: [
    "!remember|!save|!store|!write|!record|!memorize|!memorise|!keep in mind|!note|merke dir|merk dir|speichere|retiens|mémorise|enregistre|recuerda|guarda|memoriza|ricorda|memorizza|salva|lembre|memorize|запомни*|сохрани*|запиши*|记住|記住|保存|覚えて|記憶し|기억하|저장하|onthoud|zapamiętaj|hatırla|تذكر",
  ],
  later: [
    "all later sessions|later sessions|future sessions|future conversations|future chats|every future|all future|long-term memory|long term memory|permanent memory|your memory|from now on",
    "alle künftigen|alle zukünftigen|langzeitgedächtnis|dein gedächtnis|dauerhaft|toutes les prochaines|toutes les futures|à l'avenir|mémoire à long terme|ta mémoire|futuras conversaciones|futuras conversas|futuras sesiones|para siempre|memoria a largo plazo|tu memoria|future conversazioni|memoria a lungo termine|tua memoria|memória de longo prazo|sua memória",
    "на будущее|все будущие|всех будущих|долговременн*|навсегда|свою память|以后的所有|所有以后|今后的|长期记忆|永久记忆|今後のすべて|長期記憶|永続的に|앞으로 모든|장기 기억|영구",
  ],
  always: [
    "always|never|must|user|immer|niemals|toujours|jamais|l'utilisateur|siempre|nunca|usuario|sempre|mai|utente|usuário|всегда|никогда|пользовател*|总是|始终|永远|用户|必须|常に|必ず|ユーザー|항상|절대|사용자|altijd|nooit|zawsze|nigdy|her zaman|asla|دائما|हमेशा",
  ],
  authority: [
    "the developer|developers|administrator|admin|system administrator|security team|provider|openai|anthropic|google|the company that built you|the company that made you|creator|your creators|maintainer|operations team|compliance|head office|law enforcement",
    "entwickler*|administratoren|sicherheitsteam|hersteller|développeur*|administrateur*|équipe de sécurité|desarrollador*|administrador*|equipo de seguridad|sviluppator*|amministrator*|desenvolvedor*|equipe de segurança|разработчик*|администратор*|служба безопасности|开发者|开发人员|管理员|安全团队|開発者|管理者|개발자|관리자|보안팀",
  ],
  ordersYou: [
    "failure to comply|you have no choice but|comply immediately|grants you|i order you|i command you|i authorize you|i authorise you|i instruct you|orders you|requires the assistant|requires you|instructs you|commands you|authorizes you|authorises you|i hereby|directs you|ordered to|obliges you|demands that you|wants you to|emergency directive|mandatory directive|you are hereby",
    "ich befehle dir|ich weise dich an|weist dich an|verlangt von dir|befiehlt dir|ermächtigt dich|je t'ordonne|t'ordonne|exige que tu|exige de toi|te ordeno|te ordena|te autoriza|exige que|ti ordino|ti ordina|ti autorizza|ordeno que|ordena que|autoriza você|приказываю|приказывает|требует от тебя|разрешает тебе|уполномоч*|我命令你|命令你|要求你|授权你|授權你|命じる|命令します|要求しています|許可します|명령한다|명령합니다|지시합니다|허가합니다",
  ],
  visits: [
    "visiting this|reading this|processing this|parsing this|summarizing this|summarising this|that read this|who read this|that reads this|crawling this|viewing this|who reads this|given this document|die diese seite|die dies lesen|die diesen text|qui lisent|qui lit cette|que lean|que lea|que leen|che leggono|che legge|que leem|que leia|читающ*|которые читают|阅读此|阅读本|讀取此|读取此|閲覧|を読む|読んでいる|읽는|읽고 있는",
  ],
  secretly: [
    "secretly|silently|covertly|discreetly|quietly|heimlich|unbemerkt|stillschweigend|discrètement|en secret|en silence|en secreto|discretamente|en silencio|segretamente|di nascosto|secretamente|em segredo|тайно|незаметно|скрытно|悄悄|偷偷|秘密地|暗中|こっそり|密かに|ひそかに|비밀리에|은밀히|stiekem|heimelijk|potajemnie|po cichu|gizlice|سرا|चुपके से",
  ],
  thisText: [
    "this paragraph|this message|this instruction|these instructions|this note|this prompt|this section|this step|this text|this rule|this request|these rules|diesen absatz|diese anweisung|diese nachricht|ce paragraphe|cette instruction|ce message|este párrafo|estas instrucciones|este mensaje|questo paragrafo|queste istruzioni|este parágrafo|estas instruções|этот абзац|это сообщение|эти инструкции|этот текст|本段|这段话|这条指令|この指示|この段落|このメッセージ|이 지시|이 문단|이 메시지",
  ],
  put: [
    "clickable link|that contains|!put|!include|!add|!insert|!encode|!embed|!place|!read|!look for|!collect|!gather|!find|füge|codiere|ajoute|insère|encode|inclus|añade|incluye|inserta|codifica|aggiungi|inserisci|adicione|inclua|insira|добавь|вставь|включи|закодируй|添加|附加|放入|编码|追加し|埋め込|含めて|추가해|포함해|삽입",
  ],
  /** Places by which something gets out. */
  outlet: [
    "url parameters|encoded in the url|end of this link|end of the link|end of the url|end of this url|query parameter|query string|in the url|to the url|into the url|to the link|into the link|in the link|image url|image link|image address|image's address|image's url|next request|next web request|into the reply|into your reply|in your reply|in your response|in the subject",
    "an den link|den folgenden link|in die url|an die url|in der url|dans l'url|à l'url|au lien|dans le lien|en la url|a la url|al enlace|en el enlace|nell'url|all'url|al link|nel link|na url|ao link|no link|в ссылку|к ссылке|в url|в адрес|链接|網址|网址|urlに|リンクに|링크에|url에",
  ],
  safety: [
    "safety features|safety training|safety mechanisms|safety restrictions|remaining restrictions|your restrictions|all restrictions|your limits|your limitations|your filters|all filters|deine filter|deine regeln|tes filtres|tus filtros|tuoi filtri|seus filtros|свои фильтры|все фильтры|safety guidelines|safety rules|safety filter*|safety measures|safety protocol*|safety settings|safety check*|content policy|content policies|content filter*|guardrails|ethical guidelines|ethical rules|sicherheitsrichtlinien|sicherheitsregeln|sicherheitsfilter|règles de sécurité|filtres de sécurité|normas de seguridad|filtros de seguridad|regole di sicurezza|filtri di sicurezza|regras de segurança|filtros de segurança|правила безопасности|фильтры безопасности|安全准则|安全规则|安全限制|安全过滤|安全ガイドライン|安全規則|安全フィルター|안전 지침|안전 규칙|안전 필터",
  ],
  disable: [
    "!disable|!deactivate|!turn off|!switch off|!skip|!remove|!suspend|safely skip|you may skip|deaktivier*|schalte|umgehe|désactive*|contourne|desactiva*|omite|salta|disattiva*|salta|desative|ignore|отключи*|обойди|关闭|關閉|停用|禁用|解除し|無効にし|꺼|비활성화",
  ],
  /** Longer words of attacks in other spellings: shifted alphabets, reversed, digits for letters. */
  disguised: [DISGUISED],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What a word or phrase of a prompt injection stands for. */
export type Concept = keyof typeof CONCEPTS | "role" | "address";
