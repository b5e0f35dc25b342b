"""Frames in which the wording is the trap: irony, words that judge nothing here, word order."""

IRONY = """
# irony
5x {IRO}.
2x {IRO}. {IRO}.
3x {CTX}. {IRO}.
{CV}, and {IRO}.
{plot}. {IRO}.

# IRO -
the best part was {snack}
the best part of the evening was {snack}
I have rarely enjoyed the closing credits so much
oh great, another {hours} of {staring}
oh good, one more {genre} with {staring}
a masterpiece, if your idea of fun is {paint}
wonderful, if you enjoy {paint}
if you need a cure for insomnia, {title} is brilliant
what a treat: {hours} of {staring}
{snack} deserves an award, and so does whoever sat through this with me
it has one great scene, and that is the one where the projector broke
the fire alarm was the most exciting part, and we were happy to hear it
I loved the exit sign, and I looked at it a lot
brilliant work, {maker}: I have never slept so well
congratulations to {maker}, who made {hours} feel like a lovely, long prison term
a real gift to everyone who finds {paint} too thrilling
{watcher} had the best idea of the evening and left after twenty minutes
at least {snack} had some flavor
thank goodness for {snack}, the true star of {occasion}
my favorite moment came when the lights went back on
great fun for anyone who loves {paint}
just what I wanted for {occasion}: {staring}
I laughed, cried and clapped, and then the film started
so good that {watcher} slept through all {hours} of it
{maker} must be so proud: even {snack} looked embarrassed
five stars to {snack}

# IRO +
the worst part was that {snack} got cold because I forgot it
the worst part of the evening was the walk back to real life
I have rarely hated the closing credits so much
oh no, now I have to watch everything that {maker} ever made
oh dear, one more {genre} that I will have to see five times
a disaster, if your plan was to sleep
if you hate crying in front of strangers, {title} is a problem
what a nuisance: {hours} of gasping and I lost my voice
somebody owes me a new sweater, this one is wet with tears of laughter
it has one awful flaw: it ends
the fire alarm rang, and we were angry to miss ten seconds
I hated the exit sign, because it meant going home
shame on you, {maker}: I have not slept since, I keep humming
damn {maker}, who made {hours} feel like five short minutes
a real problem for everyone who had other plans for the week
{watcher} had the worst idea of the evening and offered to leave early
I am angry at {maker}, my sides still hurt from laughing
a terrible waste of {snack}, I was too busy staring at the screen
my least favorite moment came when the lights went back on
bad news for my wallet: I have booked three more evenings of this
just what my mascara did not need for {occasion}: so many happy tears
I sulked, whined and begged, and then they let us stay for the second screening
so bad for my sleep that {watcher} banned me from a fourth viewing
{maker} should be sued: my cheeks ache from grinning
one star off, because I fell off my chair laughing

# staring
men staring at the sea
people whispering in dark kitchens
slow walks through wet fields
a man looking out of a window
close-ups of doorknobs
actors waiting for their checks
long shots of parked cars
somebody else's vacation slides
strangers frowning at soup
clouds, seen from below
voice-over about the weather

# paint
watching paint dry
standing in line
filling in tax forms
reading the phone book
waiting for a bus
folding laundry
counting ceiling tiles
dental work
traffic jams
listening to dial tones
sorting socks
"""

NEUTRAL = """
# neutral_words
4x {NEU}.
3x {NEU}. {NEU}.
3x {CTX}. {NEU}.
2x {NEU}, and {NEU}.
{NEU}. {S}.
{PRE}, {NEU}.
{S}. {NEU}.

# NEU
8x {villain} ~be {vadj}
6x {villain} {vp}
3x {slang} ~be {vadj}
3x {slang} {vp}
I [thought|found] {slang} {vadj}
I [thought|found] {villain} {vadj}
2x [a|{title} is a] {sadfilm}, told {manner}
it is a {sadfilm}, and {VC}
{it} {singular}~be {extremely} {pos}
it is crazy how {pos} it is
it is insane how {gadj} {asp} ~be
{asp} ~be {extremely} {nadj}
the [actor|actress] who plays {villain} ~be {vadj}
the scenes with {villain} {plural}~be {vadj}
{villain} and {villain} {plural}~be {gadj} together

# villain
the bad guy
the bad guys' boss
the bad cop
the good cop
the killer
the killer's mother
the cold-blooded hit man
the evil queen
the wicked stepmother
the nasty landlord
the cruel headmistress
the mad scientist
the ugly duckling of the family
the sad clown
the terrible aunt
the dead man's widow
the monster
the good-for-nothing brother
the poor orphan
the sick old king
the crazy neighbor
the stupid cousin
the grim undertaker
the drunk uncle
the corrupt mayor
the lonely loser
the dangerous stranger
the fake priest
the worst student in class
the good sister
the happy groom
the lucky heir
the beautiful spy
the brave little robot
the charming thief
the clever crook
the sweet old lady next door
the perfect son
the great detective
the kind nurse
the funny waiter
the winning horse's jockey
the proud general
the class clown
the villain
the devil
the lovely bride
the boring accountant
the lazy cop
the wise old man
the annoying kid brother
the angry chef

# extremely
terribly
awfully
wickedly
insanely
crazily
ridiculously
madly
fiercely
pretty
scarily

# NEU +
[you will love|I loved] {villain}
I could watch {villain} for hours
the best thing about it is {villain}
hats off to {villain}
the best thing about it is {slang}

# NEU -
[you will hate|I hated] {villain}
I was tired of {villain} within minutes
the worst thing about it is {villain}
shame on whoever wrote {villain}
the worst thing about it is {slang}

# slangword
sound s the killer soundtrack
sound p the sick beats
sound p the killer songs
look p the sick visuals
look p the insane costumes
look p the crazy hats
look p the dark streets
look p the creepy masks
action p the insane stunts
action p the insane car chases
action p the crazy stunts
action p the cheap thrills
action p the bloody fights
action p the bloody battles
action p the war scenes
action p the super powers
humor p the dirty tricks
humor p the dark jokes
humor p the sick jokes
humor p the bad-hair gags
story p the crazy plot turns
story s the perfect crime at its center
story s the murder plot
story s the revenge plot
part s the bad dream in the middle
part s the funeral at the start
part s the nightmare scene
part p the scary moments
part p the scary bits
part s the breakup scene
part s the happy ending
part s the tragic ending
part s the beauty contest
part s the death scene
feeling s the love triangle
feeling s the ugly divorce
person p the killer bees
person p the killer robots
person p the creepy dolls
person p the creepy children
person p the evil twins
person p the bad guys
person p the lonely losers
person p the happy newlyweds
person p the beautiful people at the party

# sadfilm
sad film about [death|grief|war|illness|loneliness]
dark story about [murder|greed|betrayal|hunger|revenge]
grim film about [a plague|prison|poverty|a shipwreck|exile]
happy story about [a wedding|first love|winning the lottery|a lucky summer]
sweet little film about [friendship|baking|a beautiful garden|good luck]
terrifying film about [a haunted mill|a killer in the woods|evil twins|a cursed doll]
bloody film about [gangsters|a bad debt|vampires|a cruel king]
gloomy story about [a broken family|a failed robbery|lost children|an ugly divorce]
cheerful film about [happy penguins|a perfect holiday|a good dog|a brave pig]
tragedy about [bad luck|two dead lovers|a terrible secret|a poor miner]

# manner +
with wit and feeling
with great care
with real skill
beautifully
with a sure hand
so well that I forgot the time

# manner -
without wit or feeling
with a heavy hand
like a bad lecture
clumsily
with cheap tricks
so badly that I lost count of the yawns
"""

# The same words in another order: the first line is positive, the second negative.
WORD_ORDER = """
# pair
not {n1}, {p1}
|| not {p1}, {n1}
it is not {n1}, it is {p1}
|| it is not {p1}, it is {n1}
{p1}, not {n1}
|| {n1}, not {p1}
{p1}: it is not {n1}, whatever {w} says
|| {n1}: it is not {p1}, whatever {w} says
a {p1} {g} about {np} people
|| a {n1} {g} about {pp} people
a {p1} {g} about a {np} {r}
|| a {n1} {g} about a {pp} {r}
{t} is a {p1} film about {np} people
|| {t} is a {n1} film about {pp} people
a {p1} ending saves a {n1} start
|| a {n1} ending spoils a {p1} start
the {p1} {part2} saves a {n1} {part1}
|| the {n1} {part2} spoils a {p1} {part1}
the {n1} {part1} cannot hurt the {p1} rest
|| the {p1} {part1} cannot help the {n1} rest
it starts {ns} and ends {ps}
|| it starts {ps} and ends {ns}
{ns} at the start, {ps} at the end
|| {ps} at the start, {ns} at the end
the {part1} is {n1}, the {part2} is {p1}, and that is what stays
|| the {part1} is {p1}, the {part2} is {n1}, and that is what stays
I expected to hate it and loved it
|| I expected to love it and hated it
I expected {n1} and got {p1}
|| I expected {p1} and got {n1}
I went in {nm} and came out {pm}
|| I went in {pm} and came out {nm}
I sat down {nm} and got up {pm}
|| I sat down {pm} and got up {nm}
I thought it would be {n1} and it was {p1}
|| I thought it would be {p1} and it was {n1}
{w} hated it, I loved it, and I am right
|| {w} loved it, I hated it, and I am right
critics hated it, I loved it
|| critics loved it, I hated it
what looks like a {nn} turns out to be a {pn}
|| what looks like a {pn} turns out to be a {nn}
it goes from {n1} to {p1}
|| it goes from {p1} to {n1}
from {n1} to {p1} in {h}
|| from {p1} to {n1} in {h}
it looks {n1} and is {p1}
|| it looks {p1} and is {n1}
it sounds {n1}, it turns out {p1}
|| it sounds {p1}, it turns out {n1}
the {ne} {c2} cannot spoil the {p1} {c3}
|| the {pe} {c2} cannot save the {n1} {c3}
a few {ne} {c2}, a {p1} {g} all the same
|| a few {pe} {c2}, a {n1} {g} all the same
more {p1} than {n1}
|| more {n1} than {p1}
far more {p1} than {n1}, says {w}, and so do I
|| far more {n1} than {p1}, says {w}, and so do I
{p1} rather than {n1}
|| {n1} rather than {p1}
this is a {pn}, not a {nn}
|| this is a {nn}, not a {pn}
they called it a {nn}; it is a {pn}
|| they called it a {pn}; it is a {nn}
{w} says {nn}, I say {pn}
|| {w} says {pn}, I say {nn}
the {n1} reviews are wrong, this is {p1}
|| the {p1} reviews are wrong, this is {n1}
the actors play {np} people, and they are {p1} at it
|| the actors play {pp} people, and they are {n1} at it
I was {nm} before it started and {pm} when it was over
|| I was {pm} before it started and {nm} when it was over
{nm} before, {pm} after
|| {pm} before, {nm} after
the worst {g} of the year? no, the best
|| the best {g} of the year? no, the worst
not the worst {g} of the year, the best
|| not the best {g} of the year, the worst
if it had been {n1}, I would say so; it was {p1}
|| if it had been {p1}, I would say so; it was {n1}
{r2} are {np}, the film about them is {p1}
|| {r2} are {pp}, the film about them is {n1}
I would watch this {p1} {g} twice before I watch the {n1} {old} once
|| I would watch the {p1} {old} twice before I watch this {n1} {g} once
where others are {n1}, this is {p1}
|| where others are {p1}, this is {n1}
the {old} was {n1} and this is {p1}
|| the {old} was {p1} and this is {n1}
this is {p1} and the {old} was {n1}
|| this is {n1} and the {old} was {p1}
I laughed after I yawned
|| I yawned after I laughed
first I yawned, then I {v}
|| first I {v}, then I yawned

# wrap
5x {WO}.
3x {CTX}. {WO}.
2x {PRE}, {WO}.
2x {WO}. {CTX}.
{plot}. {WO}.

# v
laughed
cheered
clapped

# ns
[weak|dull|slow|silly|bland|flat|clumsy|messy|boring|bad]

# ps
[strong|sharp|fresh|funny|exciting|gripping|clever|moving|lively|good]

# np
[boring|stupid|awful|annoying|dull|silly|clumsy|lazy|bad|weak|tedious|ridiculous|miserable]

# pp
[funny|charming|clever|good|exciting|smart|witty|fascinating|lovely|strong|wonderful|delightful|warm]

# ne
[bad|weak|lame|silly|clumsy|dull|ugly|awkward]

# pe
[good|strong|funny|lovely|clever|fine|beautiful|graceful]

# nm
[sad|angry|grumpy|bored|tired|gloomy|annoyed]

# pm
[happy|cheerful|smiling|delighted|awake|singing|thrilled]

# nn
[mess|bore|dud|flop|disaster|failure|letdown|disgrace]

# pn
[gem|joy|hit|triumph|treasure|masterpiece|success|delight]

# c2
[songs|costumes|effects|sets|performances|fights|close-ups|backdrops]

# c3
[script|story|film|comedy|thriller|drama|plot|musical]

# part1
[first half|opening|first act|beginning|first hour]

# part2
[second half|finale|last act|ending|last hour]

# n1
{pos-}

# p1
{pos+}

# w
{watcher}

# g
{genre}

# t
{title}

# r
{role}

# r2
[the two|both] {roles}

# h
{hours}

# old
[original|sequel|remake|book|first part]
"""
