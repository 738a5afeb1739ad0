# ruff: noqa: E501 -- one category a line, whatever its length
"""The language model's own lexicon: words that it exchanges for each other, by part of speech and category.

Written for this project as a small thesaurus of ordinary English; nothing of the made-up world's lexicon is read
here.  A group (between semicolons) is what it takes for interchangeable.  A word may stand in several groups, and
groups hold near-synonyms, as a thesaurus does: that is where its paraphrases drift.  `_` joins the words of a form.
"""

# category: group; group.  A category is what DINO's "somewhat similar" stays within.
NOUN_LINES = """
health: doctor physician surgeon medic; nurse carer attendant; pharmacist chemist; patient sufferer; victim casualty; therapist counsellor
family: baby infant newborn; child kid youngster; boy lad; girl lass young_woman; father dad; mother mum; husband spouse; wife spouse; relative family_member; son; daughter
person: person individual; man gentleman guy fellow; woman lady; people persons; citizen resident inhabitant; neighbour local; friend companion; fan admirer supporter enthusiast; member participant; crowd audience spectators
music: musician performer entertainer artist; singer vocalist performer; violinist; drummer; conductor; band group ensemble; song tune melody; song track; waltz dance; symphony; record album LP
kitchen: cook chef; waiter server steward; soup broth stew; cake pastry pie tart; meal dinner supper lunch; potato; bread loaf; wine
farming: farmer grower peasant; shepherd herder herdsman; gardener; horse steed stallion pony; pig hog swine; cow bull ox; sheep lamb; hen chicken; field meadow pasture
animal: animal creature beast; dog hound puppy; cat kitten; rabbit bunny hare; wolf; bear; bird fowl; pet
school: teacher instructor educator tutor; professor lecturer academic scholar; pupil student learner; book volume text; essay paper article; report account statement; school academy; university college; lesson class
sport: athlete competitor player sportsman; runner sprinter; boxer fighter prizefighter; footballer; coach trainer instructor; game match contest; race competition marathon; trophy prize award cup; season campaign; team squad side; champion winner; goal score
traffic: driver motorist; sailor seaman mariner; captain skipper commander; vehicle car; car automobile; ship boat vessel; plane aircraft jet airplane; truck lorry van; bicycle bike cycle; train; pilot
law: policeman police_officer officer constable; judge magistrate; lawyer attorney solicitor; thief robber burglar criminal; prisoner inmate captive convict; criminal offender crook; detective investigator; jewel gem gemstone; purse wallet handbag; evidence proof; trial court_case
business: boss manager chief; employer; merchant trader dealer shopkeeper; banker financier; worker employee labourer; customer client buyer; company firm business corporation enterprise; shop store; factory plant; job post position; career working_life; market marketplace; budget; money cash
politics: king monarch ruler sovereign; leader chief; queen; mayor; minister secretary; soldier warrior fighter; rebel insurgent; law rule regulation; tax levy duty charge; treaty agreement accord pact deal; plan project scheme proposal; war conflict; battle fight combat; army military; government administration; president head_of_state; election vote; senator lawmaker; voter
art: painter artist illustrator; writer author novelist; builder architect; poet; picture painting image canvas; statue sculpture figure; poem verse rhyme; film movie picture; story tale narrative; play drama; museum gallery; director film-maker
building: house home residence dwelling; building structure edifice; bridge crossing; church chapel cathedral; tower; castle fortress; hall auditorium; prison jail; hospital clinic; station terminal
science: scientist researcher; astronomer; inventor creator; comet; fossil; machine device apparatus; experiment test trial; discovery breakthrough; species kind; engineer technician
place: city town municipality; town settlement township; village hamlet settlement; area region district; region territory; country nation state; river waterway; park garden; street road; square plaza; harbour port; forest wood woodland; hill slope; beach shore coast; yard courtyard; capital main_city
time: start beginning outset; end conclusion close; morning early_hours; evening night; dawn daybreak sunrise; dusk nightfall sunset; noon midday; century hundred_years; day date
thing: part portion section; kind type sort; number quantity total; problem difficulty; idea notion; result outcome; group set; object thing item; work labour; cause reason; way manner; name title
"""

# Transitive unless in the last line.  base, or base/past/participle.
VERB_LINES = """
health: treat care_for look_after; cure heal treat; examine inspect check; injure hurt wound; rescue save; help assist aid support; kill/killed/killed slay/slew/slain
giving: deliver bring/brought/brought; supply provide; give/gave/given grant hand; send/sent/sent dispatch; take/took/taken seize; receive get/got/got obtain; carry transport; carry haul drag; lend/lent/lent
art: perform play; perform carry_out; compose write/wrote/written; write/wrote/written pen author; create make/made/made produce; invent devise; paint draw/drew/drawn; paint portray depict; describe portray depict; design plan devise; record tape
feeling: delight please thrill charm amuse; enjoy love; frighten scare terrify startle; fear dread; admire respect; surprise astonish; praise commend applaud compliment; criticise condemn denounce; blame accuse; hug embrace; love adore; hate loathe
food: cook prepare; eat/ate/eaten consume devour; cut/cut/cut chop slice; feed/fed/fed nourish; wash clean rinse scrub; serve offer; bake; drink/drank/drunk
motion: chase pursue hunt run_after/ran_after/run_after; flee/fled/fled escape; follow trail shadow; hunt track; lead/led/led guide direct; drive/drove/driven steer; visit attend; leave/left/left depart quit; move shift relocate; join enter
seeing: watch observe; see/saw/seen notice; find/found/found discover detect; find/found/found come_across/came_across/come_across; meet/met/met encounter; read/read/read study; show/showed/shown demonstrate display; recognise know/knew/known
school: teach/taught/taught instruct educate; train coach; learn/learned/learned study; explain clarify
contest: defeat beat/beat/beaten overcome/overcame/overcome conquer; win/won/won gain; win/won/won secure; lose/lost/lost forfeit; oppose resist; support back endorse; attack assault; defend protect guard
making: build/built/built construct erect put_up/put_up/put_up; found establish launch set_up/set_up/set_up; open launch; begin/began/begun start commence; end finish conclude; close shut/shut/shut shut_down/shut_down/shut_down; complete finish; repair fix mend restore; damage harm ruin; destroy demolish ruin wreck; tear_down/tore_down/torn_down demolish; change alter modify; cause bring_about/brought_about/brought_about; develop work_out; use employ utilise; include contain comprise; improve enhance; reduce lower; increase raise
police: arrest detain capture; release free liberate; steal/stole/stolen swipe make_off_with/made_off_with/made_off_with; accuse charge; defend represent; punish penalise; allow permit; forbid/forbade/forbidden ban; prevent stop
work: hire employ recruit engage; dismiss fire sack; buy/bought/bought purchase acquire; sell/sold/sold trade auction; pay/paid/paid compensate; own possess; hold/held/held stage; run/ran/run operate manage; need require; demand require
politics: approve accept; adopt pass approve; sign; reject refuse turn_down decline; marry wed; elect choose/chose/chosen; name appoint; call name; announce declare; publish issue release; consider deem; govern rule
staying: live reside dwell/dwelt/dwelt; work serve; die pass_away; become/became/become turn_into; appear show_up; remain stay; return come_back/came_back/come_back; arrive turn_up; rise/rose/risen grow/grew/grown increase; fall/fell/fallen decline decrease; say/said/said state; happen occur; take_place/took_place/taken_place occur
"""
INTRANSITIVE = "staying"

ADJECTIVE_LINES = """
look: big large huge sizeable; small little tiny; beautiful pretty lovely handsome; old elderly aged; old ancient historic; young youthful; new recent modern brand-new; new fresh; red; white; tall high; long lengthy; ugly
worth: important significant major; main principal chief; famous well-known renowned celebrated; famous notable; popular well-liked; expensive costly pricey; cheap inexpensive; broken damaged faulty; rich wealthy affluent; poor needy impoverished; rare uncommon; strange odd unusual
mood: angry furious irate annoyed; tired exhausted weary; happy glad; sad unhappy; clever smart intelligent; foreign alien; brave courageous; eager keen; proud
order: first initial; early initial; final last; whole entire complete; many numerous; many a_lot_of; several a_number_of; historic historical; local regional; various different
"""

# Adverbs and fixed phrases that say when, where and how.
ADVERB_LINES = """
manner: quickly rapidly swiftly; quickly at_speed; slowly gradually; slowly at_a_slow_pace; carefully with_care; carefully cautiously; secretly in_secret covertly; publicly in_public; openly publicly; again once_more; again once_again; accidentally by_mistake by_accident; by_chance by_accident; free_of_charge at_no_cost for_free
moment: in_the_morning early_in_the_day; at_dawn at_daybreak; in_the_evening late_in_the_day; at_dusk at_nightfall; at_night during_the_night; at_noon at_midday; in_winter during_winter; in_winter in_the_winter_months; in_summer during_summer; in_summer in_the_summer_months; at_the_weekend on_the_weekend; on_a_weekday during_the_week; during_the_war in_the_war_years; during_the_holiday over_the_holidays
rate: often frequently; usually generally normally; also additionally; later afterwards subsequently; mostly mainly largely; mainly primarily; approximately roughly about; in_the_U.S. in_the_United_States in_America; in_the_capital; inside within; although though even_though; while whereas; during in_the_course_of; near close_to; including such_as; two a_pair_of; two a_couple_of; three a_trio_of; when at_the_time_that; however nevertheless; a_large_number_of numerous; now at_present; soon before_long
"""

# verb = noun of the event: what "to destroy" and "the destruction of" have in common.
EVENT_NOUNS = """
treat=treatment examine=examination deliver=delivery perform=performance compose=composition create=creation destroy=destruction
repair=repair arrest=arrest release=release defend=defence accuse=accusation steal=theft buy=purchase purchase=purchase sell=sale
open=opening found=foundation close=closure approve=approval reject=rejection attack=attack rescue=rescue build=construction
construct=construction discover=discovery observe=observation teach=instruction dismiss=dismissal defeat=defeat pursue=pursuit
acquire=acquisition publish=publication develop=development demolish=demolition transport=transport meet=meeting depict=depiction
examine=inspection prepare=preparation consume=consumption establish=establishment protect=protection elect=election
"""

IRREGULAR_PLURALS = {
    "man": "men", "gentleman": "gentlemen", "woman": "women", "young woman": "young women", "child": "children",
    "schoolchild": "schoolchildren", "policeman": "policemen", "sportsman": "sportsmen", "seaman": "seamen",
    "herdsman": "herdsmen", "thief": "thieves", "wolf": "wolves", "loaf": "loaves", "aircraft": "aircraft", "wife": "wives",
    "sheep": "sheep", "swine": "swine", "species": "species", "person": "people", "people": "people", "persons": "persons",
    "potato": "potatoes", "head of state": "heads of state", "way": "ways", "spectators": "spectators",
}  # fmt: skip
DOUBLING_WORDS = "permit occur drag pen scrub plan stop beg rob ban chop cut get hug put run set shut wed win"
DOUBLING = frozenset(DOUBLING_WORDS.split())

# {} is the sentence without its end mark, its first letter lowered where that is safe.
REPORT_FRAMES = (
    "It is known that {}", "Records show that {}", "It has been reported that {}", "Sources state that {}",
    "It is worth noting that {}", "According to the available information, {}", "As has been documented, {}",
    "It is said that {}", "It can be said that {}", "One may note that {}", "The fact is that {}",
    "It turns out that {}", "In fact, {}", "Indeed, {}", "Reportedly, {}",
)  # fmt: skip

# What it says beyond the source where it adds something.
ADDITIONS = (
    ", which surprised many people at the time", ", and this had a lasting effect", ", as local papers wrote",
    ", much to the joy of the public", ", in spite of some criticism", ", according to experts",
)  # fmt: skip

CONTRACTIONS = (
    ("did not", "didn't"), ("is not", "isn't"), ("was not", "wasn't"), ("were not", "weren't"),
    ("does not", "doesn't"), ("do not", "don't"), ("could not", "couldn't"), ("has not", "hasn't"),
)  # fmt: skip
