const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being both but by can could did do
   does doing done down during each else ever few for from further had has have having he her here hers herself him himself
   his how i if in into is it its itself just let lot many may me might more most much must my myself no nor not now of off
   on once only or other our ours ourselves out over own per please same shall she should so some such than that the their
   theirs them themselves then there these they this those through to too under until up upon us very was we were what
   when where which while who whom whose why will with would you your yours yourself yourselves
   arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt shouldnt wasnt werent wont wouldnt s t re ve ll d m`
    .trim()
    .split(/\s+/),
);

/** Whether an English word says nothing of what is looked for. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase().replace(/['’]/g, ""));
}
