"""Words of opinion: what can be judged in a film, and which words judge it.

Everything is grouped by meaning, so that a plot may be predictable and a score may be haunting,
never the other way round. A caret marks an adjective that cannot be graded ("hilarious^" is never
"very hilarious"). A tilde marks the verb that agrees with the subject ("~keep you guessing").
"""


def words(text: str) -> list[str]:
    """Split a comma-separated block into its entries."""
    return [
        entry for entry in (part.strip() for part in text.replace("\n", " ").split(",")) if entry
    ]


def lines(text: str) -> list[str]:
    """Split a block into its non-empty lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


# Judged things by group. c = countable (a plot), m = mass (acting), p = plural (jokes),
# d = only definite ("the way it ends").
ASPECTS: dict[str, dict[str, list[str]]] = {
    "story": {
        "c": words("""plot, story, script, screenplay, storyline, premise, narrative,
            central idea, mystery, central mystery, setup, concept, basic idea"""),
        "m": words("writing, storytelling, plotting"),
        "p": words("twists, subplots, flashbacks, plot turns, ideas"),
        "d": words("the way the story unfolds, the central twist, the twist at the end"),
    },
    "acting": {
        "c": words("""lead performance, cast, supporting cast, ensemble, central performance,
            star turn, leading man, lead actress, lead actor, young cast"""),
        "m": words("acting"),
        "p": words("""performances, actors, leads, child actors, supporting actors,
            supporting players, young actors"""),
        "d": [
            "the whole cast",
            "the two leads/P",
            "the actor who plays the {role}",
            "the woman who plays the {role}",
            "the man who plays the {role}",
            "the boy who plays the {kin}",
            "the girl who plays the {kin}",
            "the {role}'s big speech",
        ],
    },
    "look": {
        "c": words("""look, color palette, production design, opening shot, final shot,
            visual style, set design, title sequence"""),
        "m": words("""camera work, cinematography, photography, lighting, animation, scenery,
            makeup, costume design"""),
        "p": words("""visuals, costumes, sets, special effects, effects, landscapes,
            night scenes, images, close-ups, locations, creature effects, crowd scenes,
            backdrops, desert shots"""),
    },
    "sound": {
        "c": words("""score, soundtrack, theme song, piano theme, string score, closing song,
            guitar theme, title song, sound mix"""),
        "m": words("music, sound design, singing, background music"),
        "p": words("songs, musical numbers, big numbers, choir pieces, duets"),
    },
    "pace": {
        "c": words("rhythm, tempo"),
        "m": words("pacing, editing, direction, timing"),
        "p": [],
        "d": words("the pace, the way it is cut, the editing of the chase scenes"),
    },
    "humor": {
        "c": words("running joke, comic subplot, wedding scene, dinner scene"),
        "m": words("humor, banter, dialogue, slapstick, comic timing, wordplay"),
        "p": words("""jokes, gags, one-liners, punch lines, comic scenes, sight gags, lines,
            comebacks, sketches, little asides, pratfalls"""),
    },
    "person": {
        "c": words("""hero, heroine, villain, main character, sidekick, narrator,
            love interest, central character, antihero"""),
        "m": [],
        "p": words("""characters, side characters, main characters, villains,
            minor characters, supporting characters"""),
        "d": [
            "the {role}",
            "the {kin}",
            "the old {role}",
            "the young {role}",
            "the hero's {kin}",
            "the {role} and his {kin}/P",
            "the {role} and her {kin}/P",
            "the two {roles}/P",
            "the two heroes/P",
        ],
    },
    "feeling": {
        "c": words("""love story, romance, friendship, family drama, father-son story,
            reunion scene, farewell scene, romantic subplot"""),
        "m": words("chemistry between the leads, drama, sentiment"),
        "p": words("love scenes, family scenes, emotional scenes, quiet scenes, letters home"),
        "d": words("the bond between the brothers, the friendship at its center, the marriage"),
    },
    "action": {
        "c": words("""car chase, big battle, bank robbery, heist, chase scene, final fight,
            train sequence, rooftop chase, big shoot-out, escape scene, underwater sequence,
            boat chase"""),
        "m": words("action, suspense, sword fighting"),
        "p": words("""fights, chases, battle scenes, fight scenes, set pieces, action scenes,
            stunts, explosions, shoot-outs, sword fights, car chases, flying scenes"""),
    },
    "part": {
        "c": words("""ending, opening, beginning, finale, first half, second half, middle,
            last act, final act, opening scene, last scene, climax, last half hour, first hour,
            epilogue, final reel, prologue, third act"""),
        "m": [],
        "p": words(
            "final minutes, first ten minutes, last twenty minutes, closing scenes, early scenes"
        ),
    },
}

# What may be said of anything; strong words take no "very".
GENERAL = {
    1: words("""excellent^, superb^, wonderful^, fantastic^, terrific^, brilliant^,
        outstanding^, first-rate^, marvelous^, amazing^, phenomenal^, top-notch^, remarkable,
        perfect^, extraordinary^, exceptional^, impressive, great^, good, good, lovely,
        delightful, strong, fine, awesome^, memorable, enjoyable, likable, satisfying,
        unforgettable^, flawless^, rewarding"""),
    -1: words("""terrible^, awful^, horrible^, pathetic, laughable^, dismal^, rotten^, lousy,
        disastrous^, embarrassing, hopeless^, unbearable^, miserable, painful, bad, bad, poor,
        weak, mediocre^, dull, disappointing, forgettable, bland, flat, tired, lifeless^,
        uninspired^, clumsy, sloppy, lazy, boring, boring, underwhelming, dreary, feeble,
        shoddy, inept, subpar^"""),
}

# What suits any judged thing and can be denied: "not boring at all", "hardly impressive".
DENIABLE = {
    1: words("""good, good, great, memorable, likable, enjoyable, impressive, satisfying,
        interesting, special, exciting, convincing, original, engaging, charming, clever"""),
    -1: words("""bad, bad, dull, boring, boring, weak, disappointing, forgettable, clumsy,
        tired, bland, tedious, lazy, sloppy, annoying, silly, awful, terrible"""),
}
# Said of a person, these would describe the character and leave the verdict open.
NOT_OF_PEOPLE = frozenset(
    """miserable painful hopeless^ tired poor weak strong lazy rotten^ good bad fine sloppy clumsy
    perfect^ pathetic feeble flat inept rewarding""".split()
)

ADJECTIVES: dict[str, dict[int, list[str]]] = {
    "story": {
        1: words("""clever, smart, gripping, inventive, original, witty, moving, touching,
            tight, suspenseful, absorbing, compelling, surprising, fresh, engaging, thoughtful,
            believable, ingenious, engrossing, thought-provoking, well-crafted, intelligent,
            elegant, involving, intriguing, imaginative, fascinating, subtle, cleverly built,
            rich, coherent"""),
        -1: words("""predictable, thin, silly, messy, confusing, formulaic, far-fetched,
            contrived, nonsensical^, muddled, derivative, stale, pointless^, ridiculous^,
            preposterous^, illogical, half-baked^, shallow, hollow, implausible, incoherent^,
            trite, forced, aimless, convoluted, unoriginal, absurd, senseless^, lame,
            threadbare, hackneyed"""),
    },
    "acting": {
        1: words("""natural, convincing, sincere, warm, subtle, honest, nuanced, charming,
            fearless, heartfelt, assured, believable, touching, magnetic, spirited, graceful,
            committed, pitch-perfect^, charismatic, soulful, winning, endearing"""),
        -1: words("""wooden, stiff, hammy, unconvincing, amateurish, one-note^, cringeworthy,
            irritating, grating, robotic, awkward, mechanical, unnatural, charmless, phony,
            listless, annoying, self-conscious, mannered, colorless"""),
    },
    "look": {
        1: words("""gorgeous^, beautiful, stunning^, striking, breathtaking^, elegant, lush,
            crisp, vivid, atmospheric, handsome, immersive, radiant, eye-catching, imaginative,
            graceful, evocative, jaw-dropping^, sumptuous, picturesque, polished"""),
        -1: words("""ugly, muddy, murky, blurry, drab, tacky, garish, fake, unconvincing,
            amateurish, nauseating, grubby, cheap-looking, gaudy, unsightly, dingy, crude,
            lifeless^, plastic, hideous^, unpleasant, dated"""),
    },
    "sound": {
        1: words("""catchy, haunting, beautiful, rousing, soaring, evocative, gorgeous^,
            hypnotic, stirring, infectious, soulful, melodic, irresistible^, uplifting,
            graceful, inspired, moving, exciting, delicate, joyful"""),
        -1: words("""grating, intrusive, repetitive, annoying, bombastic, irritating, tinny,
            obnoxious, overbearing, tuneless^, deafening^, monotonous, shrill, syrupy, generic,
            off-key^, cheesy, ear-splitting^, distracting, tacky"""),
    },
    "pace": {
        1: words("""brisk, tight, sharp, lively, assured, crisp, energetic, snappy, confident,
            smooth, spot-on^, precise, nimble, skillful, elegant, inspired, expert^,
            faultless^, fluid"""),
        -1: words("""sluggish, uneven, choppy, erratic, glacial^, plodding, leaden, jerky,
            exhausting, heavy-handed, clunky, haphazard, careless, disjointed, amateurish,
            draggy, ponderous, lethargic, ham-fisted, incompetent"""),
    },
    "humor": {
        1: words("""hilarious^, funny, funny, witty, sharp, clever, quick, fresh, charming,
            irresistible^, playful, side-splitting^, amusing, delicious, lively, inspired,
            priceless^, quotable, sparkling, laugh-out-loud funny^, cheeky, good-natured"""),
        -1: words("""unfunny, stale, crude, tasteless, lame, forced, juvenile, corny,
            mean-spirited, cringeworthy, witless^, childish, vulgar, tedious, labored,
            strained, stupid, idiotic^, groan-worthy^, puerile, limp, humorless^"""),
    },
    "person": {
        1: words("""charming, lovable, funny, fascinating, complex, believable, sympathetic,
            well-drawn, charismatic, endearing, likable, well-written, engaging, compelling,
            three-dimensional^, relatable, irresistible^, hilarious^, human"""),
        -1: words("""bland, annoying, paper-thin^, irritating, one-dimensional^, unlikable,
            insufferable^, cardboard^, whiny, obnoxious, tedious, shallow, cartoonish,
            unbelievable, grating, underwritten, implausible, cliched, uninteresting,
            charmless, repellent"""),
    },
    "feeling": {
        1: words("""tender, touching, sweet, moving, sincere, heartfelt, believable, genuine,
            honest, heartwarming, electric^, delicate, affecting, graceful, natural, poignant,
            irresistible^, warm, truthful, life-affirming"""),
        -1: words("""sappy, mawkish, cloying, forced, manipulative, phony, saccharine^,
            melodramatic, insincere, sterile, syrupy, soapy, unconvincing, contrived, cheesy,
            schmaltzy, maudlin, lukewarm, false, mushy"""),
    },
    "action": {
        1: words("""thrilling, exciting, spectacular^, inventive, tense, electrifying^,
            well-staged, jaw-dropping^, nerve-racking, breathtaking^, pulse-pounding^,
            stunning^, stylish, elegant, gripping, imaginative"""),
        -1: words("""tedious, repetitive, incoherent^, noisy, endless^, monotonous, mindless,
            numbing, ridiculous^, pointless^, chaotic, unconvincing, excessive, laughable^,
            confusing, tiring, interchangeable^, amateurish, fake, wearisome"""),
    },
    "part": {
        1: words("""gripping, funny, moving, powerful, satisfying, perfect^, tense,
            surprising, exciting, beautiful, clever, touching, thrilling, unexpected, haunting,
            graceful, inspired, uplifting, hilarious^, wonderful^"""),
        -1: words("""tedious, rushed, interminable^, ridiculous^, messy, predictable,
            anticlimactic, pointless^, silly, confusing, sappy, absurd, overlong, clumsy,
            contrived, unsatisfying, bungled, preachy, ludicrous^, slow"""),
    },
    "film": {
        1: words("""charming, gripping, funny, moving, entertaining, beautiful, smart, fun,
            absorbing, touching, heartwarming, thoughtful, original, fresh, inspired, engaging,
            imaginative, uplifting, compelling, delightful, well-made, unforgettable^,
            thrilling, warm, hilarious^, fascinating, exciting, magical, lovable, heartfelt"""),
        -1: words("""boring, tedious, pointless^, predictable, silly, messy, pretentious,
            shallow, overlong, stupid, forgettable, sloppy, lifeless^, soulless^, joyless^,
            clumsy, confusing, unwatchable^, unfunny, derivative, cynical, incoherent^,
            charmless, lazy, bloated, self-indulgent, ridiculous^, annoying, empty, witless^"""),
    },
}

GENRES: dict[str, list[str]] = {
    "humor": words("""comedy, romantic comedy, buddy comedy, screwball comedy, satire,
        mockumentary, farce, parody, high-school comedy, workplace comedy"""),
    "action": words("""action film, heist film, spy thriller, disaster movie,
        martial-arts film, war film, superhero movie, western, pirate adventure, kung fu movie,
        car-chase movie"""),
    "story": words("""thriller, crime drama, murder mystery, courtroom drama, detective story,
        ghost story, science-fiction film, noir, conspiracy thriller, time-travel story,
        fantasy epic, whodunit, psychological thriller, political drama"""),
    "feeling": words("""love story, family drama, coming-of-age story, period drama,
        melodrama, biopic, sports drama, road movie, tearjerker, family film, costume drama,
        friendship story"""),
    "sound": words("musical, rock opera, dance film, music drama"),
    "look": words("animated film, cartoon, anime feature, puppet film"),
}

# Predicates by group and polarity.
PREDICATES: dict[str, dict[int, list[str]]] = {
    "story": {
        1: lines("""
            ~keep you guessing until the end
            ~hold together from start to finish
            ~hook you in the first five minutes
            ~surprise you again and again
            ~go to places you would not expect
            ~pay off in a big way
            ~trust the audience to keep up
            ~build to a terrific payoff
            ~grip you and never ~let go
            ~be full of good ideas
            ~have real heart
            ~make you think for days
            ~deserve an award
            ~give every character room to breathe
            ~click into place like a Swiss watch"""),
        -1: lines("""
            ~go nowhere
            ~fall apart after ten minutes
            ~make no sense
            ~be full of holes
            ~run out of steam early
            ~insult your intelligence
            ~collapse in the last act
            ~drown in cliches
            ~feel like a first draft
            ~wander off in five directions
            ~be borrowed from better films
            ~leave every question hanging
            ~repeat everything twice
            ~test your patience
            ~hold no surprises at all"""),
    },
    "acting": {
        1: lines("""
            ~carry the whole film
            ~steal every scene
            ~light up the screen
            ~shine in every scene
            ~deserve every award going
            ~find the truth in every line
            ~break your heart
            ~win you over at once
            ~make even small moments count
            ~lift the material
            ~bring real warmth to it
            ~be a joy to watch"""),
        -1: lines("""
            ~ruin every scene
            ~belong in a school play
            ~sink the whole film
            ~have all the charm of a parking ticket
            ~kill every emotion
            ~make every line sound like a phone book
            ~be painful to watch
            ~leave you cold
            ~strike one false note after another
            ~get on your nerves within minutes
            ~drag everything down"""),
    },
    "look": {
        1: lines("""
            ~take your breath away
            ~look like a painting come to life
            ~deserve the biggest screen in town
            ~fill every frame with life
            ~be a feast for the eyes
            ~pull you right into that world
            ~look like a million dollars
            ~glow from the first minute to the last
            ~give the film its magic
            ~be worth the ticket alone"""),
        -1: lines("""
            ~look like a bad video game
            ~hurt the eyes
            ~look like leftovers from a TV show
            ~fool nobody
            ~scream low effort
            ~give you a headache
            ~look like a cheap commercial
            ~make everything look gray and dead
            ~take you right out of the story
            ~would embarrass a student film"""),
    },
    "sound": {
        1: lines("""
            ~stay in your head for days
            ~give you goose bumps
            ~lift every scene
            ~make your heart beat faster
            ~bring the house down
            ~be worth the ticket alone
            ~send you out humming
            ~fit every scene like a glove
            ~make you want to dance in the aisle
            ~deserve to be a hit"""),
        -1: lines("""
            ~drown out the dialogue
            ~get on your nerves
            ~hammer every emotion into your skull
            ~belong in an elevator
            ~spoil every quiet moment
            ~give you a headache
            ~make you want to cover your ears
            ~sound like a ringtone
            ~ruin the mood
            ~kill the tension"""),
    },
    "pace": {
        1: lines("""
            ~keep everything moving
            ~make two hours feel like one
            ~give the story real drive
            ~let every scene breathe
            ~hold the tension to the last second
            ~get everything right
            ~show a sure hand
            ~keep you glued to your seat"""),
        -1: lines("""
            ~drain all the life out of it
            ~make ninety minutes feel like a week
            ~kill the tension
            ~put half the audience to sleep
            ~spoil every good moment
            ~get everything wrong
            ~give you a headache
            ~suck the fun out of the story"""),
    },
    "humor": {
        1: lines("""
            ~land every time
            ~have the whole theater in stitches
            ~make me laugh out loud
            ~hit the mark again and again
            ~get better and better
            ~be still making me smile
            ~come thick and fast
            ~would make a statue giggle
            ~sparkle from start to finish
            ~crack me up even now"""),
        -1: lines("""
            ~fall flat every time
            ~land with a thud
            ~miss the mark again and again
            ~make me cringe
            ~belong in the trash
            ~get worse and worse
            ~would embarrass a fifth grader
            ~die on arrival
            ~drag on forever
            ~make the whole row groan"""),
    },
    "person": {
        1: lines("""
            ~win your heart
            ~steal the show
            ~feel like a real human being/~feel like real human beings
            ~grow on you
            ~stay with you for days
            ~be a joy to spend time with
            ~make the whole film worth seeing
            ~have you rooting from the start
            ~bring the film to life
            ~get all the best lines"""),
        -1: lines("""
            ~get on your nerves
            ~feel like a cardboard cutout/~feel like cardboard cutouts
            ~leave you cold
            ~ruin every scene
            ~be impossible to care about
            ~have the personality of a doorknob
            ~bore you to tears
            ~make one stupid decision after another
            ~drive you up the wall
            ~drag the film down"""),
    },
    "feeling": {
        1: lines("""
            ~melt your heart
            ~ring true
            ~bring a lump to your throat
            ~earn every tear
            ~have me reaching for the tissues
            ~give the film its soul
            ~feel real
            ~get under your skin
            ~warm you from the inside
            ~touch something deep"""),
        -1: lines("""
            ~ring false
            ~leave you cold
            ~feel like a greeting card
            ~have me rolling my eyes
            ~make you squirm
            ~go straight for the cheapest tears
            ~have zero spark
            ~belong in a soap opera
            ~lay it on with a trowel
            ~bore you senseless"""),
    },
    "action": {
        1: lines("""
            ~keep you on the edge of your seat
            ~get your pulse racing
            ~take your breath away
            ~leave you gasping
            ~be worth the ticket alone
            ~have the whole row cheering
            ~pack a real punch
            ~raise the bar for the genre
            ~deliver the goods
            ~be a blast"""),
        -1: lines("""
            ~go on forever
            ~put you to sleep
            ~bore you senseless
            ~give you a headache
            ~look like a clumsy rehearsal/~look like clumsy rehearsals
            ~leave you yawning
            ~be just noise
            ~fool nobody
            ~be impossible to follow
            ~fizzle out"""),
    },
    "part": {
        1: lines("""
            ~stay with you for days
            ~take your breath away
            ~leave me speechless
            ~bring the house down
            ~be worth the wait
            ~have me in tears, the good kind
            ~tie everything together
            ~hit all the right notes
            ~be pure joy
            ~make me want to stand up and clap"""),
        -1: lines("""
            ~drag on forever
            ~ruin everything
            ~leave me shaking my head
            ~feel like a cop-out
            ~let everybody down
            ~be a slog
            ~fall apart
            ~fizzle out
            ~bore me stiff
            ~make me want to throw my shoe at the screen"""),
    },
}

COMPARATIVES = {
    1: words("""better, better, better, funnier, smarter, sharper, warmer, cleverer, stronger,
        more fun, more moving, more exciting, more gripping, more original, more entertaining,
        more charming, more inventive, more touching, more enjoyable"""),
    -1: words("""worse, worse, worse, duller, sillier, weaker, lazier, sloppier, clumsier,
        more boring, more predictable, more tedious, more pointless, more annoying,
        more irritating, more confusing, more pretentious, more embarrassing, more contrived"""),
}
# What anybody says of any film.
PLAIN_WORDS = {
    1: words("""good, funny, smart, sharp, clever, exciting, moving, gripping, entertaining,
        original, charming, fresh, inventive, strong, enjoyable, engaging, touching, witty,
        imaginative, lively"""),
    -1: words("""bad, dull, silly, weak, lazy, boring, predictable, tedious, stupid, annoying,
        clumsy, messy, pretentious, stale, irritating, pointless, awful, lame, confusing,
        contrived"""),
}
