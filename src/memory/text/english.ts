/** Irregular English words: a base form and its other forms on each line. */
const FORMS = `
be is are was were been being
become became
begin began begun
bend bent
bind bound
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
creep crept
deal dealt
dig dug
do does did done doing
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flies
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go goes went gone
grow grew grown
hang hung
have has had having
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
learn learnt
leave left
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spill spilt
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
write wrote written
child children
foot feet
goose geese
half halves
knife knives
leaf leaves
life lives
loaf loaves
man men
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
`;

const baseForms = new Map<string, string>();
for (const line of FORMS.trim().split("\n")) {
  const [word = "", ...forms] = line.split(" ");
  for (const form of forms) baseForms.set(form, word);
}

/** The base form of an irregular English word ("went": "go"), otherwise the word itself. All in lower case. */
export function baseForm(form: string): string {
  return baseForms.get(form) ?? form;
}

/** All irregular forms with their base forms. */
export function irregularForms(): Iterable<[form: string, base: string]> {
  return baseForms;
}

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

/** Whether an English word is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase().replace(/['’]/g, ""));
}
