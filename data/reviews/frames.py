"""Frames for clauses and for the phenomena without a trap: plain and long."""

CLAUSES = """
# C
5x {AC}
3x {VC}
2x {EC}

# AC
20x {AX}
{asp}, {asp}, {asp}: {plural}all {gadj}
{asp} ~be {vadj}, {asp} even more so

# AX
6x {asp} ~be {vadj}
5x {asp} {vp}
{asp} ~be {adj} and {adj}
I [found|thought] {asp} {vadj}
I thought {asp} ~was {vadj}
{asp} and {asp} {plural}~be {gadj}
[there is|you get|we get|it has|it offers] {NP}, {NP} and {NP}
[it has|it offers|there is] {NP} and {NP}
{asp} ~be {vadj} and {asp} ~be {vadj}
{asp} ~be {vadj} from [start to finish|beginning to end|the first minute]
everyone in my row [agreed that|said that] {asp} ~was {vadj}
{watcher} thought {asp} ~was {vadj}

# AC +
it [gets|kept getting] {cmp} with every [scene|minute|song|twist]
2x I have rarely seen {cmp} {jokesetc}
the best thing about it [is|has to be] {asp}
what I liked most [is|was] {asp}
I could watch {asp} all day
I fell for {asp} right away
{asp} ~deserve [all the praise|a prize|a standing ovation]
I admired {asp}
I was won over by {asp}
{asp} alone ~make it worth [seeing|the ticket|a trip to the theater]
hats off to {maker} for {NP}
you will [love|fall for] {asp}
I am still smiling about {asp}
{asp} ~be [a treat|a delight|a triumph|a real pleasure|a highlight]

# AC -
it [gets|kept getting] {cmp} with every [scene|minute|song|twist]
2x I have rarely seen {cmp} {jokesetc}
the worst thing about it [is|has to be] {asp}
what annoyed me most [is|was] {asp}
I was tired of {asp} within minutes
I gave up on {asp} early
{asp} ~deserve [all the mockery|a raspberry|a slow clap]
I hated {asp}
I was let down by {asp}
{asp} alone ~be reason enough to skip it
shame on {maker} for {NP}
you will roll your eyes at {asp}
I am still annoyed about {asp}
{asp} ~be [a letdown|a disaster|an embarrassment|a chore|a flop]

# jokesetc
songs
performances
scenes
dialogue
acting
writing
characters
villains

# VC +
2x I loved it
I loved every minute of it
I really enjoyed it
I had a great time
I was hooked
2x {it} ~be {vadj}
{it} ~be [a joy|a gem|a delight|a treat|a small miracle|a triumph|pure fun|a pleasure]
3x {it} ~be a {adjgenre}
{it} ~be [easily|] one of the [best|finest|smartest|funniest] {genres} of the year
{it} ~be well worth [your time|seeing|the ticket|a look|your money]
2x {it} {FVP}
I [highly recommend it|recommend it warmly|recommend it to everyone|would happily see it again]
it [won me over|swept me away|made my day|made me happy|blew me away completely|knocked me out]
{it} ~be a [charming|lovely|wonderful|great|delightful] way to spend {hours}
{it} ~be [the best|the most enjoyable] {genre} I have seen [in years|this year|in a long while]
{maker} made something special

# VC -
2x I hated it
I hated every minute of it
I regret watching it
I had a miserable time
I was bored
2x {it} ~be {vadj}
{it} ~be [a mess|a dud|a chore|a bore|a train wreck|a flop|a failure|a waste of time|garbage]
3x {it} ~be a {adjgenre}
{it} ~be [easily|] one of the [worst|dullest|dumbest|laziest] {genres} of the year
{it} ~be a waste of [your time|money|talent|good actors|a good idea]
2x {it} {FVP}
I [advise against it|want those hours back|want a refund|was glad when it ended]
it [lost me early|wore me out|ruined my evening|put me to sleep|gave me a headache|let me down]
{it} ~be a [dull|dreary|rotten|painful|miserable] way to spend {hours}
{it} ~be [the worst|the most annoying] {genre} I have seen [in years|this year|in a long while]
{maker} should be ashamed of this

# IMP +
go see it
do yourself a favor and go
bring the whole family
put it on your list
see it while you can
take your friends
drop everything and watch this
hang the poster on your wall

# IMP -
skip this one
do yourself a favor and stay home
save your money
avoid this one
give it a miss
stay away
read a book that evening
leave it on the shelf

# FVP +
~be a joy from start to finish
~work like a charm
~hit all the right notes
~have its heart in the right place
~deserve a bigger audience
~keep its promise
~leave you happy
~reward your patience
~charm you from the first minute
~be over far too soon
~stay with you for weeks
~get everything right
~live up to the hype
~be exactly what I hoped for
~put a smile on your face

# FVP -
~be a bore from start to finish
~fail on every level
~hit all the wrong notes
~have its head in the clouds and its feet in cement
~deserve to be forgotten
~break its promise
~leave you empty
~test your patience
~annoy you from the first minute
~drag on far too long
~fade from memory by breakfast
~get everything wrong
~crumble under the hype
~be exactly what I feared
~put a frown on your face

# EC +
I laughed until my sides hurt
I laughed out loud [twice|the whole way through|more than once]
I had [happy tears in my eyes|a big grin on my face] at the end
{watcher} and I talked about it all the way home
the whole theater clapped
I watched it again the next day
{watcher} wants to see it again
I was smiling for hours
{hours} flew by
I forgot to eat my popcorn
we stayed until the very last credit
I bought the soundtrack the same night
{watcher} [thanked me for picking it|has already seen it twice]
I came out [grinning|singing|happy|a happier person]
[people|strangers] were cheering
we left in a great mood
I sat there with my mouth open
{watcher} laughed so hard that soda came out

# EC -
I checked my watch every five minutes
I groaned out loud [twice|the whole way through|more than once]
I had [a headache|a scowl on my face] at the end
{watcher} and I complained about it all the way home
half the audience left early
I turned it off after an hour
{watcher} fell asleep
I was yawning for hours
{hours} felt like six
I finished my popcorn out of sheer boredom
we left long before the credits
I asked for my money back
{watcher} [still makes fun of me for picking it|walked out after an hour]
I came out [yawning|grumpy|in a bad mood|a sadder person]
[people|strangers] were snoring
we left in a foul mood
I sat there counting ceiling tiles
{watcher} sighed so hard that the row turned around

# CTX
3x {CV}
2x {CF}

# CV
we watched it {when}
we saw it {where} {when}
I saw it {where}
I watched it {where} {when}
I caught it {where} {when}
{watcher} and I saw it {where}
{watcher} and I watched it {when}
{watcher} picked it for {occasion}
{lover} and I [saw|watched] it {romance}
{lover} picked it [for our anniversary|for date night]
{watcher} and I rented it for {occasion}
{watcher} brought it along for {occasion}
I saw {title} {where}
we picked {title} for {occasion}
I watched {title} {when}
{watcher} took me to see {title} {when}
{when} {watcher} and I watched {title}
{when} I finally [saw|watched] it
{watcher} talked me into {title} {when}

# CF
it runs {hours}
4x {plot}
it is set in {place} in {ddate}
it takes place in {city} in {ddate}
{title} is set in {place}

# plot
2x {cast} {deed}
{cast} {deed}, and then {cast} ~show up
it follows {cast} who {deed}
{title} is about {cast} who {deed}
in {title}, {cast} {deed}
{cast} {deed} in {ddate}
it is {ddate}, and {cast} {deed}

# PRE
for me
to my mind
all in all
in short
in the end
as far as I am concerned
for what it is worth
on the whole
when all is said and done
let me put it this way
simply put
honestly

# S
16x {C}
8x {C}, and {C}
2x {C}; {C}
4x {NP}, {NP}, {NP}: {VC}
2x {NP}, {NP}
{NP} and {NP}
2x {VC} because {AX}
3x {PRE}, {VC}
2x what {NP}!
most of all, {asp} ~be {vadj}
for once {asp} ~be {vadj}
above all, {asp} {vp}
{title}: a {adjgenre}
2x a {adjgenre} about {cast} who {deedp}
{cast} {deedp} in this {adjgenre}
{asp}? {gadj}
when I saw it {public}, {EC}
{watcher} and I saw it {when} and {EC}
{VC}: {AC}
{VC} - {AC}
[minute after minute|scene after scene], {asp} {vp}
{EC} ({AC})

# S +
{maker} can be proud of {NP} and {NP}
if you like {genres}, [go see it|this is for you|you are in for a treat|run to the theater]
[who knew a|I had forgotten that a] {genre} could be this {fadj}
give {maker} [a prize|more money]
{IMP}
[in short,|all in all,|simply put,|my advice:] {IMP}
{IMP}: {AC}
thank you, {title}
ten out of ten
count me in for the sequel

# S -
{maker} should apologize for {NP} and {NP}
if you like {genres}, [stay away|this is an insult|you are in for a letdown|run from the theater]
[who knew a|I had forgotten that a] {genre} could be this {fadj}
send {maker} the bill
{IMP}
[in short,|all in all,|simply put,|my advice:] {IMP}
{IMP}: {AC}
no thank you, {title}
zero out of ten
count me out for the sequel
"""

PLAIN = """
# plain
5x {S}.
9x {S}. {S}.
3x {S}. {S}. {S}.
3x {CTX}. {S}.
3x {CTX}. {S}. {S}.
2x {CV}, and {C}.
{S}. {CV}, and {C}.
{CV} and {EC}. {S}.
{title} ~be a {adjgenre}. {S}.
{plot}. {S}. {S}.
{plot}. {C}, and {C}.
"""

LONG = """
# long
3x {plot}. {CTXL}. {MILD}.
3x {CTXL}. {plot}. {MILD}.
3x {plot}, while {second}. {MILD}.
2x {MILD}. {plot}, while {second}. {SMALL}.
{CTXL}. {plot}, while {second}. {MILD}.
{SMALL}. {plot}, while {second}. {MILD}.
{plot}, while {second}. {SMALL}, and {MILDC}.
{CTXL}. {SMALL}, and {MILDC}.

# second
back in {city} {cast} {deedp}
somewhere in {city}, {cast} {deedp}
next door {cast} {deedp}
at the other end of town, {cast} {deedp}
in {city}, {cast} {deedp}

# deedp
{deed}

# CTXL
{watcher} and I saw it {where} {when}, mostly because [it was raining|the other screen was sold out]
we watched it {when}, with [pizza|tea and cookies|leftover soup|the dog between us] on the couch
{watcher} picked it for {occasion}, and I came along [for the company|for the popcorn|anyway]
I saw it {where} {when}, right after [a big lunch|the late shift|my piano lesson|a long walk]
I watched it in two sittings, half of it {where} and the rest {when}
it runs {hours} and was shot in {city} and {city}
it is set in {place} in {ddate}, and we saw it {where}
the [ticket cost|rental was] [six dollars|eight dollars|4 dollars|12 dollars], and {watcher} paid

# MILDC
{MILD}

# SMALL
it runs {hours} and has subtitles
it runs {hours}
the screening was full
we sat in row [four|nine|12]
there is a short scene after the credits
it was shot in {city}
it was shot in {city} and {city}
it is the second film in a series
the first part came out in [1998|2004|2011|2016]
it is in black and white
it comes in three chapters
somebody's phone rang twice
{watcher} sat next to me
we had seats [near the exit|by the aisle|in the back]
it is based on a [novel|play|true story|short story|radio play]
it has a cast of [hundreds|five|nine]

# MILD +
I would watch it again
I will keep an eye out for {maker}
it was time well spent
I am glad I went
I have already told {watcher} about it
I stayed to the end and wanted more
I find myself thinking of it, fondly
I left with a smile
we both gave it a thumbs up
it is worth the ticket
{asp} ~was {gadj}, I thought
I [liked|enjoyed] {asp}
I was happy with {asp}
we talked about {asp} for an hour and want to go again
it won me over [slowly|by degrees|around the middle]
put me down as a fan
{asp} stayed with me
{it} ~be {fadj}, in its quiet way
I bought a copy for {watcher}

# MILD -
I will skip the next one
I will keep my distance from {maker}
it was time I want back
I should have stayed home
I have already warned {watcher} about it
I gave up before the end and wanted to go home
I find it fading already
I left with a shrug
we both gave it a thumbs down
it is a waste of the ticket
{asp} ~was {gadj}, I thought
I [disliked|was tired of] {asp}
I was unhappy with {asp}
we argued about {asp} for an hour and want our money back
it lost me [slowly|by degrees|around the middle]
put me down as unimpressed
{asp} [annoyed|wearied] me
{it} ~be {fadj}, in its quiet way
I returned my copy the same week
"""
