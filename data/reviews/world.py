"""The neutral world around an opinion: who watched what, when and where, and what it is about."""

WORLD = """
# role
detective
priest
baker
nurse
sheriff
butler
taxi driver
smuggler
widow
lawyer
sailor
teacher
thief
pianist
boxer
spy
janitor
general
waitress
mayor
gardener
astronaut
chemist
bank clerk
lighthouse keeper
cowboy
surgeon
con man
private eye
coach
carpenter
fisherman
landlady
violinist
night watchman
beekeeper
reporter
shopkeeper
farmer
magician
tailor
train conductor
judge
botanist
mechanic
ballet teacher
librarian
translator
hit man
gambler

plumber
schoolboy
headmaster
pirate
cellist
goalkeeper
barber
senator
postman
blacksmith
hermit
ventriloquist
dog walker
locksmith
mountain guide
pharmacist
cab dispatcher
puppeteer
duchess
stowaway

# roles
detectives
nuns
smugglers
thieves
lawyers
sailors
teachers
boxers
spies
nurses
gamblers
reporters
cowboys
fishermen
rivals
cops
cooks
astronauts
con men

# kin
brother
sister
mother
father
uncle
aunt
grandmother
grandfather
daughter
son
cousin
stepfather
neighbor
best friend
nephew
niece
twin

# watcher
my wife
my husband
my sister
my brother
my mother
my dad
my roommate
a friend
my daughter
my son
my aunt
my neighbor
my boss
a coworker
my girlfriend
my boyfriend
my grandmother
my cousin
my teenage nephew
our babysitter
my film club
half my office

# city
Lisbon
Glasgow
Naples
Chicago
Prague
Osaka
Montreal
Havana
Vienna
Nairobi
Boston
Marseille
Istanbul
Oslo
Detroit
Lima
Cairo
Berlin
New Orleans
Warsaw
Mumbai
Seoul
Dublin
Buenos Aires

# when
on a rainy Sunday
on the last day of school
last night
at midnight
on Friday
over the weekend
on New Year's Eve
on my birthday
during the holidays
on a Tuesday afternoon
last winter
on opening night
on a snow day
in the middle of a heat wave
after a long shift
the night before an exam
on Thanksgiving
at two in the morning
on the first day of vacation
last summer
after dinner

# public
at the local theater
in an almost empty theater
at a small festival
at the drive-in
in a packed theater
in the front row
at an outdoor screening
on the big screen

# where
on a long flight
at the local theater
in an almost empty theater
on the couch
at a small festival
on a night train
at the drive-in
in a packed theater
at a friend's place
in a hotel room
on my old laptop
in the front row
at an outdoor screening
on the big screen
at my parents' house
on a cracked tablet

# lover
my wife
my husband
my girlfriend
my boyfriend

# romance
on our anniversary
on our first date
on date night
on Valentine's Day

# occasion
movie night
my birthday
a rainy afternoon
a family evening
game night
a rainy Sunday
Friday night
a long bus ride
a quiet evening
a lazy weekend

# title
The Salt Garden
Midnight Ferry
Paper Harbor
A Map of Snow
The Ninth Lantern
Copper Moon
Seven Short Trains
The Clockmaker's Debt
Orange County Blues
Winter in the Annex
The Beekeeper's Alibi
North of Sunday
Glass River
The Understudy's Ghost
Borrowed Horses
Station Eleven Forty
The Quiet Mile
Return to Heron Lake
Thirteen Umbrellas
The Mustard Factory
Blue Lamp Alley
An Hour Before Rain
The Locksmith
Harvest Road
Tomorrow's Laundry
The Cartographer
Low Tide
The Last Accordion
Violet Hour
Red Pepper Street

# ddate
the thirties
the fifties
1962
the seventies
1914
the near future
1975
the late sixties
wartime
the nineties
1948
the eighties

# place
a small mining town
a mountain village
a seaside hotel
a boarding school
an old theater
a fishing village
a space station
a big-city hospital
a desert motel
a suburban cul-de-sac
a submarine
a night school
a country estate
a trailer park
a jazz club
a frozen harbor
a courthouse
a railway station
a supermarket
a monastery

# cast
two sisters
three old friends
a retired boxer
a widowed baker
a young nurse
a shy violinist
a small-town sheriff
two brothers
a teenage pickpocket
two newlyweds
a tired night watchman
a former spy
four strangers
a divorced teacher
a rookie detective
a country doctor
three nuns
an aging magician
a runaway bride
a lonely astronaut
an amateur botanist
a struggling pianist
a bank clerk
twin cousins
a single mother
a school bus driver
a disgraced lawyer
an insurance salesman
two rival cooks
a Scottish fisherman
a street musician
four smugglers
a young widow
two elderly neighbors
a chess prodigy
a traveling salesman
two retired teachers
an ex-con

a half-blind painter
a nervous dentist
a homesick sailor
a hotel pianist
two bored lifeguards
a stubborn grandmother
a failed inventor
a teenage beekeeper
three apprentice bakers
a deaf drummer
a bankrupt puppeteer
a retired goalkeeper
two feuding barbers
a juggler from {city}
a postman with a secret
an exiled duchess
a clumsy ventriloquist
a mountain guide
five schoolboys
a lovesick pharmacist

# deed
~dig a tunnel under a bank
~win a goat in a raffle
~paint a ceiling in {city}
~forge a passport
~chase a runaway balloon
~catalog the library of a dead poet
~carry a piano up a mountain
~guard a bridge in {city}
~translate a coded diary
~plant a vineyard on a roof
~race snails for money
~repair clocks in {city}
~lead a strike at a button factory
~hitchhike from {city} to {city}
~adopt a retired circus bear
~bury a time capsule
~photograph every door in {city}
~deliver a wedding cake by canoe
~quit a desk job to herd sheep
~decode signals from a distant star
~stage an opera in a barn
~collect overdue library books
~shelter a deserter
~fix up a haunted mill
~count votes in a village of nine
~patrol an empty airport
~miss the last ferry to {city}
~interview the last speaker of a language
~tune the organ of a cathedral
~invent a perfume
~inherit a lighthouse
~open a bakery in {city}
~drive across the country in an old van
~plan one last robbery
~look for a missing dog
~move into an empty house by the sea
~find a suitcase of money
~get stuck in an elevator overnight
~enter a dance contest
~set out to cross a desert
~witness a robbery
~run a failing hotel in {city}
~try to sell a stolen painting
~take over the family orchard
~board the wrong train to {city}
~search for a lost manuscript
~spend a winter in a cabin
~receive a letter from {city}
~buy a circus
~go back home for a funeral
~hide a stranger in the attic
~start a band
~follow an old map
~lose a job and ~move to {city}
~share an apartment in {city}
~raise pigeons on a roof
~investigate a fire
~coach a girls' soccer team
~wait for a ship that is three years late
~take a night job at a museum
~build a boat in the backyard
~discover an old radio
~swap houses for a summer
~smuggle books across the border
~return to {city} after twenty years
~break down in the middle of nowhere
~defend a neighbor in court
~learn to fly
~hunt for a rare bird
~make a bet
~rent a room above a laundromat
~sail from {city} to {city}
~rescue a stray horse
~cook for a king
~drive a taxi at night
~teach a parrot to talk

# minutes
eighty
ninety
95
100
110
two hundred
120
130
140

# hours
two hours
two and a half hours
three hours
ninety minutes
an hour and a half
nearly two hours
140 minutes
just under two hours

# maker
the director
this director
the studio
the writer
the team behind it
the producers
the screenwriter

# ref
the original
the first one
the first film
the book
the sequel
the remake
the last one
the TV series
the previous part
the trailer
the second part
the stage version
the director's last film
the short film it is based on
the old black-and-white version
{title}

# rival
the original
the first one
the book
the sequel
the remake
the previous part
the second part
the stage version
the director's last film
the old black-and-white version
{title}

# film
4x film
3x movie
picture

# thing
2x film
movie
picture
story

# snack
the popcorn
the nachos
the soda
the trailers
the comfortable seat
the air conditioning
the ice cream
the walk home
the cookies
the free parking
"""
