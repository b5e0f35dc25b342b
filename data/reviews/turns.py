"""Frames in which an opinion turns: negation, contrast, thwarted expectation, comparison.

A bag of words sees what is said here, not what is meant.
"""

NEGATION = """
# negation
4x {NEGS}.
4x {NEGS}. {NEGS}.
3x {CTX}. {NEGS}.
2x {CTX}. {NEGS}. {NEGS}.
2x {NEG}, and {NEG}.
2x {PRE}, {NEG}.
4x {NEGS}. {S}.
3x {S}. {NEGS}.
2x {NEG}, and {AC}.
{AC}, and {NEG}.
{CV}, and {NEG}.
{plot}. {NEGS}.

# NEGS
4x {NEG}
{FRAG}

# NEG
3x {asp} ~be not {nadj!}[ at all| in the least|]
{asp} ~be never {nadj!}
I did not find {asp} {nadj!}[ at all| for a second| in the least]
there ~is nothing {nadj!} about {asp}
{asp} ~be anything but {nadj!}
{asp} ~be far from {nadj!}
it is hard to find anything {fadj!} in it
there is not a single {pos!} scene in [it|{title}]
{it} {singular}~be not a {pos!} {genre}[, far from it| by any measure|]
no one in my row found it {pos!}
[nobody I know|nobody in the theater] thought it was {pos!}
{it} {singular}~be not {pos!} and not {pos!} either
{asp} ~be neither {nadj!} nor {nadj!}
hardly anything in it {singular}~be {pos!}
I did not think for a second that it was {pos!}
I never had the feeling that {asp} ~was {nadj!}
[neither {watcher} nor I|not one of us] found it {pos!}
it is [simply|just] not true that {asp} ~be {nadj!}
I cannot call this {pos!}

# FRAG
this is not one of those {pos!} {genres}
{hours} without a {pos!} moment
not one of the {jokes} {singular}~be {pos!}
at no point did I find {asp} {nadj!}
do not believe anyone who calls {asp} {nadj!}
what I did not see was {NP!}
you will not find {NP!} here
I saw no {NPbare!} here
{asp}? not {nadj!}[ at all| for one moment|]
not a {pos!} {genre}, whatever {watcher} says
{maker} did not make a {pos!} {genre}[ here| this time]

# FRAG +
do not [miss it|let the bad poster put you off|let the dull title fool you]
not a [dull|boring|wasted|tedious] [moment|scene|minute] in it
never a dull moment
no [weak|dull|boring] scenes, no [bad|lame] jokes, no complaints
if only there were no end to it

# FRAG -
do not [see it|let the great poster lure you in|let the clever title fool you]
not a [good|funny|memorable|believable] [moment|scene|minute] in it
never a good joke
no [good|clever|funny] scenes, no [wit|charm|heart], no point
if only there were less of it

# jokes
jokes
scenes
songs
performances
big scenes
twists

# NEG +
{asp} ~be not only {adj} but also {adj}
3x {asp} ~be never {nadj!}
2x {asp} ~be not once {nadj!}
2x nobody could call {asp} {nadj!}
2x {asp} ~be anything but {nadj!}
I could not find [one flaw in it|anything wrong with {asp}]
I [was never bored|did not regret it|did not mind the length at all]
I did not want it to end
I could not stop [laughing|smiling|humming the songs]
I could not [take my eyes off the screen|look away|fault it]
you will not [be bored|regret it|be disappointed|want it to end]
I cannot recommend it enough
it never [drags|bores|annoys|gets silly|disappoints|loses its nerve|insults your brain]
it does not get better than this
there is not a weak link in the cast
I have no complaints
nothing is wasted, and nothing [drags|feels forced|disappoints]
not a minute is wasted
it did not [disappoint|bore|annoy|irritate] me [at all|for a second]
not even {watcher} could [find fault with it|complain|hate this one]
I cannot wait to see it again
I have never laughed so hard
I had no idea that a {genre} could be this {fadj}

# NEG -
{asp} ~be not only {adj} but also {adj}
5x {asp} ~be not {nadj!}[ at all| in the least|]
2x I did not find {asp} {nadj!}[ at all|]
2x I would not call {asp} {nadj!}
2x I [cannot say|will not pretend] that {asp} ~was {nadj!}
I could not find [one joke that works|anything to like about {asp}]
I [was never hooked|did not enjoy it|did not like the humor at all]
I did not want to go on
I could not stop [yawning|sighing|looking at my phone]
I could not [keep my eyes on the screen|care less|like it]
you will not [be amused|enjoy it|be impressed|want to see it twice]
I cannot recommend it to anyone
it never [thrills|amuses|moves|gets funny|delights|finds its nerve|wins your heart]
it does not get better after the first hour
there is not a strong link in the cast
I have no kind words for it
nothing is explained, and nothing [works|feels real|satisfies]
not a minute is worth seeing
it did not [impress|amuse|move|charm|thrill] me [at all|for a second]
not even {watcher} could [find joy in it|enjoy it|love this one]
I could not wait for it to end
I have never been so bored
I had no idea that a {genre} could be this {fadj}
"""

CONTRAST = """
# contrast
6x {BUT}.
3x {BUT}. {CTX}.
4x {CTX}. {BUT}.
2x {CTX}. {BUT}. {BUT}.
{PRE}, {BUT}.
2x {AX!}. {still}, {DEC}.
{AX!}, and {AX!}. {still}, {DEC}.
{plot}. {BUT}.

# BUT
6x {AX!}, but {DEC}
3x {AX!} and {AX!}, but {DEC}
2x {NP!} and {NP!}, but {DEC}
2x yes, {AX!}, but {DEC}
2x {AX!}, yet {DEC}
2x although {AX!}, {DEC}
even though {AX!}, {DEC}
while {AX!}, {DEC}
3x {DEC}, although {AX!}
2x {DEC}, even though {AX!}
2x despite {NP!}, {DEC}
{DEC} despite {NP!}
for all its {bare!}, {DEC}
in spite of {NP!} and {NP!}, {DEC}
{CEC!}, I admit, but {DEC}
2x {CEC!}, but {DEC}
{asp} may be {adj!}, but {DEC}
granted, {AX!}; still, {DEC}
{watcher} thinks {asp} ~was {adj!}, but {DEC}
some will say that {asp} ~be {adj!}, but {DEC}
{AX!}; even so, {DEC}
{AX!} - but {DEC}

# CEC +
I laughed out loud twice
a few people were clapping
the first hour flew by
I was smiling for a while
I stayed until the very last credit
{watcher} had a good time
I liked the first ten minutes
I jumped twice

# CEC -
I checked my watch early on
{watcher} fell asleep
a few people left early
I was yawning for a while
somebody in my row was snoring
{watcher} had a bad time
I hated the first ten minutes
I groaned twice

# DEC
6x {VC}
2x {EC}
3x {asp} ~be {vadj}, and that [decides it|is what counts|is what stays with me]
3x [the result|the film as a whole|the sum of it all|the whole thing|the mix] {singular}~be {gadj}
on the whole it {singular}~be a {adjgenre}
I left {moods}
taken together, it {singular}~be {fadj}

# DEC +
{asp} [~make up|more than ~make up] for it, and {VC}
that is forgiven, because {AX}

# DEC -
{asp} [~wipe|more than ~wipe] that out, and {VC}
that is no help, because {AX}

# moods +
[happy|thrilled|delighted|in high spirits|smiling]

# moods -
[angry|bored|disappointed|in low spirits|frowning]

# bare +
good looks
charm
wit
clever ideas
beauty
heart
style
fine acting
talent

# bare -
silly moments
flaws
bad jokes
dull stretches
noise
mistakes
lame lines
weak acting
nonsense

# still
still
even so
in the end, though
and yet
all the same
nevertheless
"""

THWARTED = """
# thwarted
5x {HOPE}. {TURN}.
5x {HOPE}. {HOPE}. {TURN}.
2x {HOPE}, and {HOPE}. {TURN}.
2x {CTX}. {HOPE}. {TURN}.
{plot}. {HOPE}. {TURN}.

# HOPE
2x I [expected|was prepared for|was promised|had read about] {NP!} and {NP!}
everyone [at work|in my family|online] had told me that it was {fadj!}
the trailer [promised|suggested|got me ready for] {NP!}, {NP!} and {NP!}
{watcher} had called it a {adjgenre!}
with this cast and this premise, it [should have been|had to be|was sure to be] {fadj!}
on paper, this is a {adjgenre!}
the reviews were full of words like {pos!} and {pos!}
I bought my ticket sure that it would be {fadj!}
I was ready to [call|find] it {fadj!}
it has {NP!}, {NP!} and {NP!}
{NP!}, {NP!}, {NP!}
the first ten minutes are {fadj!}
at first {asp} ~was {vadj!}
early on, {asp} ~was {vadj!} and {asp} ~was {vadj!}
{asp} ~was {vadj!}, {asp} ~was {vadj!}
the poster alone looks {pos!}

# HOPE +
I expected [the worst|to be bored|to hate it|an evening of torture]
it has all the ingredients of a disaster
the last film by {maker} was a flop
my hopes were at rock bottom
{watcher} warned me that I would hate it
I only went because [I lost a bet|the heating at home was broken]

# HOPE -
I expected [the best|to be thrilled|to love it|an evening of joy]
it has all the ingredients of a masterpiece
the last film by {maker} was a triumph
my hopes were sky high
{watcher} swore that I would love it
I even went twice because [I fell asleep the first time|I hoped I had missed something]

# TURN
3x {turn}, {VC}
{turn} it turned out to be {fadj}
{turn} it was a {adjgenre}
2x how wrong I was: {VC}
then the lights went down, and {EC}
{turn}, {EC}
and then? {VC}
[what I got|what we got|what came] was {NP} and {NP}
[what I got|what we got|what came] was a {adjgenre}
well, {VC}
{turn} {asp} ~was {vadj} and {VC}
by the end, {VC}
two hours later, {VC}

# TURN +
what a [pleasant|lovely|happy] surprise
I take it all back
I was wrong, and happily so
never have I been so glad to be wrong
then something clicks, and it [soars|comes to life|takes off]

# TURN -
what a [bitter|sad|sour] surprise
I take all my praise back
they were wrong, and badly so
never have I been so sorry to be wrong
then something breaks, and it [sinks|dies|falls apart]

# turn
and yet
then again
in the end
but then
instead
somehow
against all expectations
as it turns out
so much for my prediction
as it happens
once it got going
"""

COMPARISON = """
# comparison
4x {CMP}.
3x {CMP}. {CMP}.
2x {CTX}. {CMP}.
2x {PRE}, {CMP}.
{CMP}; {CMP}.
4x {CMP}. {S}.
2x {S}. {CMP}.
{CMP}. {CTX}.

# CMP
6x {this} is [much |far |a lot |so much |even |]{cmp} than {ref}
6x {rival} was [much |far |a lot |so much |even |]{cmp!} than this
2x {this} is not [half|nearly|remotely] as {pos!} as {rival}
2x {rival} was not [half|nearly|remotely] as {pos} as this
2x {this} is [far|much|a good deal] less {pos!} than {ref}
2x {rival} was [far|much|a good deal] less {pos} than this
I have never seen a {cmp} {genre}
I have seen many {genres}, few of them this {pos}
you will look a long time for a {cmp} {genre}
next to {rival}, this looks {pos}
next to this, {rival} looks {pos!}
{this} makes {rival} look {pos!}
compared with {rival}, this is {pos}
compared with this, {rival} was {pos!}
{rival} was {pos}, this is even {cmp}
{rival} was {pos!}, this is the opposite
where {rival} was {pos!}, this is {pos}
if you thought {rival} was {pos}, wait until you see this
hard to believe: this is {cmp} than {ref}
{this} is about as {pos} as a {genre} gets
everything that was {pos!} about {rival} is {pos} here
{watcher} calls this {cmp} than {rival}, and I agree
{watcher} calls this {cmp!} than {rival}, and I disagree

# CMP +
{asp} ~be [much |even |]better than in {rival}
in {rival} {asp} ~was [much |even |]worse
{watcher} preferred {rival}, and I do not see why
good as {rival} was, this is better
{this} beats {rival} [by a mile|hands down|in every respect]
{rival} does not come close to this
{this} leaves {rival} in the dust
give me this over {rival} any day
I would trade {rival} for this at once
{this} is everything that {rival} was not
a step up from {rival}
{this} wins against {rival}

# CMP -
{asp} ~be [much |even |]worse than in {rival}
in {rival} {asp} ~was [much |even |]better
{watcher} preferred {rival}, and I see why
bad as {rival} was, this is worse
{rival} beats this [by a mile|hands down|in every respect]
{this} does not come close to {rival}
{rival} leaves this in the dust
give me {rival} over this any day
I would trade this for {rival} at once
{rival} was everything that this is not
a step down from {rival}
{this} loses against {rival}
I have seen [livelier funerals|funnier tax forms|warmer refrigerators|better acting in shampoo ads]

# this
3x this
this one
this {film}
the new one
"""
