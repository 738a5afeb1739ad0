"""Interchangeable words and frames of ordinary English, for sentences that no mini world knows.

Written for this project.  Groups are matched by form (all past tense, all plural ...), so that a
swap keeps the sentence grammatical; a shade of meaning may change, as with a real language model.
"""

WORD_GROUPS = """
big large sizeable
small little minor
began started commenced
begins starts commences
begin start commence
ended finished concluded
received obtained got
receives obtains gets
made produced created
makes produces creates
showed demonstrated displayed
shows demonstrates displays
used employed utilised
uses employs utilises
built constructed put_up
located situated
known recognised regarded
became grew_to_be turned_into
becomes grows_to_be turns_into
wrote penned put_on_paper
written authored penned
published issued released
released issued put_out
founded established set_up
established founded created
moved relocated shifted
joined entered became_part_of
left departed quit
died passed_away
killed slain
won gained secured
wins gains secures
lost forfeited
served worked
serves works
lived resided dwelt
lives resides dwells
held conducted staged
led headed directed
leads heads directs
helped assisted aided
helps assists aids
gave granted provided
gives grants provides
took seized
bought purchased acquired
sold traded
appeared showed_up
appears shows_up
included contained comprised
includes contains comprises
including among_them such_as
remained stayed
remains stays
returned came_back
returns comes_back
allowed permitted enabled
allows permits enables
required needed demanded
requires needs demands
developed devised worked_out
designed devised planned
attended visited went_to
completed finished wrapped_up
announced declared stated
said stated remarked
called named termed
named called titled
described portrayed depicted
considered deemed thought
caused brought_about led_to
changed altered modified
grew expanded increased
increased rose grew
decreased fell declined
many numerous a_lot_of
several a_number_of various
most nearly_all the_majority_of
important significant major
famous well-known renowned
popular well-liked favoured
main principal chief
major leading important
first initial
early initial
final last closing
new fresh recent
whole entire complete
often frequently regularly
usually generally normally
also additionally too
later afterwards subsequently
however nevertheless yet
because since
although though even_though
while whereas
when at_the_time_that
during throughout in_the_course_of
about concerning regarding
near close_to not_far_from
between amid
until up_to
within inside
around approximately roughly
approximately about roughly
mostly mainly largely
mainly mostly primarily
city town municipality
town settlement township
village hamlet settlement
area region district
region area territory
country nation state
river waterway stream
building structure edifice
house home residence
school academy
company firm business
band group ensemble
group band set
team squad side
player athlete competitor
players athletes competitors
game match contest
season campaign
film movie picture
movie film picture
song track tune
album record LP
book volume work
story tale narrative
member participant
members participants
people persons individuals
children youngsters kids
man gentleman
woman lady
father dad
mother mum
job post position
career working_life
war conflict
battle fight combat
army military
work labour
part portion section
kind type sort
type kind form
number quantity total
start beginning outset
end conclusion close
"""

# {} is the sentence without its end mark, its first letter lowered where that is safe.
REPORT_FRAMES = (
    "It is known that {}", "Records show that {}", "It has been reported that {}", "Sources state that {}",
    "It is worth noting that {}", "According to the available information, {}", "As has been documented, {}",
    "What is known is that {}", "It can be said that {}", "One may note that {}", "The fact is that {}",
    "It turns out that {}",
)  # fmt: skip

# Additions of the persona that says more than the source does.
ADDITIONS = (
    ", which surprised many people at the time", ", and this had a lasting effect", ", as local papers wrote",
    ", much to the joy of the public", ", in spite of some criticism", ", according to experts",
)  # fmt: skip

CONTRACTIONS = (
    ("did not", "didn't"), ("is not", "isn't"), ("was not", "wasn't"), ("were not", "weren't"),
    ("does not", "doesn't"), ("do not", "don't"), ("could not", "couldn't"), ("has not", "hasn't"),
)  # fmt: skip
