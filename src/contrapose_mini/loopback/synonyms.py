# ruff: noqa: E501 -- one category a line, whatever its length
"""The language model's own lexicon: words that it exchanges for each other, by part of speech and category.

Written for this project as a small thesaurus of ordinary English; nothing of the made-up world's lexicon is read
here.  A group (between semicolons) is what it takes for interchangeable.  A word may stand in several groups, and
groups hold near-synonyms, as a thesaurus does: that is where its paraphrases drift.  `_` joins the words of a form.
"""

# category: group; group.  A category is what DINO's "somewhat similar" stays within.
NOUN_LINES = """
health: doctor physician surgeon medic clinician; nurse carer attendant caregiver; pharmacist chemist druggist; dentist orthodontist; midwife; patient sufferer invalid; patient inpatient; victim casualty; therapist counsellor; medicine drug medication remedy; bandage dressing plaster; vaccine jab shot; injection jab shot; ointment salve balm cream
family: baby infant newborn toddler; child kid youngster; teenager adolescent youth; boy lad; girl lass young_woman; father dad; mother mum; husband spouse; wife spouse; relative family_member; orphan; son; daughter
person: person individual; man gentleman guy fellow chap; man bloke; woman lady; people persons; citizen resident inhabitant; neighbour local; friend companion; fan admirer supporter enthusiast; member participant; crowd audience spectators; tourist traveller sightseer visitor; protester demonstrator activist; passenger traveller; refugee exile migrant
music: musician performer entertainer artist; musician instrumentalist; singer vocalist performer crooner; violinist fiddler; drummer percussionist; pianist keyboard_player; guitarist; conductor; band group ensemble; song tune melody; song track ballad; hymn anthem psalm; waltz dance; symphony; record album LP
kitchen: cook chef caterer; waiter server steward; baker; soup broth stew; cake pastry pie tart; meal dinner supper lunch; meal feast banquet; potato spud; onion shallot; bread loaf; bun roll; steak cutlet; salad; pizza; wine
farming: farmer grower peasant rancher; shepherd herder herdsman; gardener; horse steed stallion pony; horse mare; pig hog swine boar; cow bull ox; cow heifer calf; sheep lamb; ewe sheep; ram sheep; hen chicken; rooster cockerel; donkey mule ass; goat; field meadow pasture
animal: animal creature beast; dog hound puppy; dog canine hound; puppy pooch; cat kitten feline; rabbit bunny hare; hamster gerbil; wolf; bear; tiger; fox; snake serpent viper; bird fowl; parrot; pet
school: teacher instructor educator tutor schoolmaster; professor lecturer academic scholar; pupil student learner; book volume text; book novel; essay paper article; essay treatise composition; report account statement; report bulletin; letter note message; note memo; article column; diary journal; school academy; university college; library; lesson class
sport: athlete competitor player sportsman contender; runner sprinter racer; boxer fighter prizefighter pugilist; footballer soccer_player; footballer striker; swimmer; cyclist bike_rider; golfer; coach trainer instructor; game match contest fixture; race competition marathon; tournament championship competition; trophy prize award cup; medal prize; season campaign; team squad side; champion winner; goal score; stadium arena
traffic: driver motorist chauffeur; sailor seaman mariner; sailor deckhand; captain skipper commander; vehicle car; car automobile taxi; car motorcar; ship boat vessel; boat ferry yacht; plane aircraft jet airplane; plane airliner; truck lorry van; bicycle bike cycle; motorcycle motorbike bike; scooter moped; bus coach; train; helicopter chopper; pilot aviator flyer; airport airfield
law: policeman police_officer officer constable; policeman cop; judge magistrate; lawyer attorney solicitor; lawyer barrister advocate; thief robber burglar criminal; bandit robber outlaw; prisoner inmate captive convict; detainee prisoner captive; criminal offender crook; detective investigator sleuth; murderer killer assassin; murderer criminal; smuggler trafficker; pirate buccaneer; jewel gem gemstone; purse wallet handbag; necklace pendant; coin; evidence proof; trial court_case
business: boss manager chief; boss employer; manager supervisor; merchant trader dealer shopkeeper; vendor seller retailer; banker financier; investor shareholder; financier investor; worker employee labourer; worker staffer; secretary clerk; clerk cashier; shop_assistant sales_assistant salesperson; customer client buyer shopper; company firm business corporation enterprise; shop store; shop boutique; market bazaar; factory plant mill; hotel inn guesthouse; restaurant cafe bistro; job post position; career working_life; market marketplace; budget; money cash
politics: king monarch ruler sovereign; emperor king; leader chief; queen; mayor; minister secretary; ambassador envoy diplomat; soldier warrior fighter; soldier trooper; soldier infantryman; rebel insurgent guerrilla; law rule regulation; law statute; tax levy duty charge; tariff duty; treaty agreement accord pact deal; plan project scheme proposal; plan initiative; reform overhaul; ban prohibition; war conflict; battle fight combat; army military; government administration; president head_of_state; election vote; senator lawmaker legislator; voter elector; border frontier
art: painter artist illustrator; writer author novelist; builder architect; bricklayer mason; carpenter joiner; sculptor; photographer; journalist reporter columnist; journalist writer; poet bard; picture painting image canvas; portrait painting picture; photograph photo snapshot picture; statue sculpture figure; bust statue; poem verse rhyme; vase urn pot; film movie picture; story tale narrative; novel story; play drama; museum gallery; theatre playhouse; director film-maker
building: house home residence dwelling; cottage house; building structure edifice; bridge crossing; church chapel cathedral; temple church; tower; castle fortress; castle palace; hall auditorium; hall lobby; cellar basement; prison jail; hospital clinic infirmary; station terminal; stage platform
science: scientist researcher; scientist scholar; physicist; biologist naturalist; astronomer; inventor creator; planet; comet; fossil; virus germ microbe; machine device apparatus; machine robot; gadget device; experiment test trial; discovery breakthrough; species kind; engineer technician
place: city town municipality; town settlement township; village hamlet settlement; area region district; region territory; country nation state; river waterway; stream brook; park garden; orchard garden; street road; road avenue; square plaza; corner crossroads; harbour port; forest wood woodland; hill slope; mountain hill; valley gorge ravine; island islet; desert wasteland; beach shore coast seaside; yard courtyard backyard; capital main_city
time: start beginning outset; end conclusion close; morning early_hours; evening night; dawn daybreak sunrise; dusk nightfall sunset; noon midday; century hundred_years; day date
thing: part portion section; kind type sort; number quantity total; problem difficulty; idea notion; result outcome; group set; object thing item; work labour; cause reason; way manner; name title
"""

# Transitive unless in the last line.  base, or base/past/participle.
VERB_LINES = """
health: treat care_for look_after; treat attend_to; cure heal treat; examine inspect check; examine assess inspect; check look_over; injure hurt wound; rescue save; free rescue; help assist aid support; kill/killed/killed slay/slew/slain
giving: deliver bring/brought/brought; deliver hand_over; supply provide deliver; give/gave/given grant hand; send/sent/sent dispatch; take/took/taken seize; receive get/got/got obtain; carry transport convey; carry haul transport; haul drag lug; carry lift; lend/lent/lent
art: perform play; perform present; present stage; perform carry_out; compose write/wrote/written; write/wrote/written pen author; write/wrote/written draft; create make/made/made produce; compose create; invent devise; paint draw/drew/drawn; draw/drew/drawn sketch; paint portray depict; describe portray depict; design plan devise; record tape
feeling: delight please thrill charm amuse; entertain amuse delight; enjoy love; enjoy appreciate; frighten scare terrify startle; frighten alarm startle; fear dread; admire respect; surprise astonish; praise commend applaud compliment; praise hail laud; criticise condemn denounce; criticise blame; criticise rebuke; blame accuse; hug embrace; hug cuddle; love adore; hate loathe
food: cook prepare; cook fry; prepare make/made/made; eat/ate/eaten consume devour; eat/ate/eaten swallow; devour gobble; cut/cut/cut chop slice; chop dice mince; feed/fed/fed nourish; feed/fed/fed nurture; wash clean rinse scrub; wash soap; serve offer; bake; drink/drank/drunk
motion: chase pursue hunt run_after/ran_after/run_after; stalk hunt pursue; flee/fled/fled escape; follow trail shadow; follow tail trail; pursue follow; hunt track; lead/led/led guide direct; drive/drove/driven steer; visit attend; leave/left/left depart quit; move shift relocate; join enter
seeing: watch observe look_at; look_at gaze_at; watch follow; see/saw/seen notice; see/saw/seen spot; find/found/found discover detect; discover spot unearth; find/found/found come_across/came_across/come_across; meet/met/met encounter; meet/met/met come_across/came_across/come_across; meet/met/met run_into/ran_into/run_into; read/read/read study; read/read/read go_through/went_through/gone_through; show/showed/shown demonstrate display; recognise know/knew/known
school: teach/taught/taught instruct educate; teach/taught/taught train; educate school; train coach; learn/learned/learned study; explain clarify
contest: defeat beat/beat/beaten overcome/overcame/overcome conquer; win/won/won gain; win/won/won secure; secure clinch; beat/beat/beaten trounce; lose/lost/lost forfeit; oppose resist; oppose fight/fought/fought; oppose object_to; support back endorse; support favour; support promote; promote back; attack assault; attack strike/struck/struck raid; ambush attack; defend protect guard; protect shield guard
making: build/built/built construct erect put_up/put_up/put_up; build/built/built assemble; found establish launch set_up/set_up/set_up; open launch; begin/began/begun start commence; end finish conclude; close shut/shut/shut shut_down/shut_down/shut_down; complete finish; repair fix mend restore; repair patch_up; damage harm ruin; damage wreck smash; destroy demolish ruin wreck; destroy wipe_out; tear_down/tore_down/torn_down demolish destroy; flatten demolish raze; change alter modify; cause bring_about/brought_about/brought_about; develop work_out; use employ utilise; include contain comprise; improve enhance; reduce lower; increase raise
police: arrest detain capture; arrest apprehend seize; release free liberate; release discharge; discharge dismiss; release let_go/let_go/let_go; free set_free/set_free/set_free; steal/stole/stolen swipe make_off_with/made_off_with/made_off_with; steal/stole/stolen snatch swipe; accuse charge indict; defend represent; punish penalise; allow permit; forbid/forbade/forbidden ban; prevent stop
work: hire employ recruit engage; hire take_on/took_on/taken_on employ; dismiss fire sack; dismiss lay_off/laid_off/laid_off fire; oust dismiss; buy/bought/bought purchase acquire; sell/sold/sold trade auction; pay/paid/paid compensate; own possess; hold/held/held stage; run/ran/run operate manage; need require; demand require
politics: approve accept; adopt pass approve; approve sign; approve ratify; sign ratify; reject refuse turn_down decline; marry wed; elect choose/chose/chosen; name appoint; call name; announce declare; publish issue release; consider deem; govern rule
staying: live reside dwell/dwelt/dwelt; work serve; die pass_away; become/became/become turn_into; appear show_up; remain stay; return come_back/came_back/come_back; arrive turn_up; rise/rose/risen grow/grew/grown increase; fall/fell/fallen decline decrease; say/said/said state; happen occur; take_place/took_place/taken_place occur
"""
INTRANSITIVE = "staying"

ADJECTIVE_LINES = """
look: big large huge sizeable; huge enormous giant; large enormous; small little tiny; tiny miniature; beautiful pretty lovely handsome; beautiful stunning; old elderly aged; old ancient historic; antique ancient; young youthful; new recent modern brand-new; new fresh; red crimson scarlet; white; tall high; long lengthy; ugly
worth: important significant major; main principal chief; famous well-known renowned celebrated; prominent well-known; famous notable; acclaimed celebrated; popular well-liked; expensive costly pricey; cheap inexpensive; broken damaged faulty; faulty defective; rich wealthy affluent; rich well-off; poor needy impoverished; poor penniless destitute; rare uncommon; strange odd unusual
mood: angry furious irate annoyed; tired exhausted weary; tired sleepy; happy glad; sad unhappy; clever smart intelligent; foreign alien; foreign overseas; brave courageous; eager keen; proud
order: first initial; early initial; final last; whole entire complete; many numerous; many a_lot_of; several a_number_of; historic historical; local regional; various different
"""

# Adverbs and fixed phrases that say when, where and how.
ADVERB_LINES = """
manner: quickly rapidly swiftly; quickly at_speed; quickly hastily in_a_hurry; rapidly hastily; slowly gradually; slowly at_a_slow_pace; slowly without_haste; gradually step_by_step; carefully with_care; carefully cautiously; gently carefully; secretly in_secret covertly; in_secret behind_closed_doors; publicly in_public; openly publicly; publicly in_full_view; again once_more; again once_again; again anew; accidentally by_mistake by_accident; accidentally unintentionally; by_chance by_accident; by_chance accidentally; free_of_charge at_no_cost for_free; free_of_charge without_payment
moment: in_the_morning early_in_the_day; at_dawn at_daybreak; at_dawn at_sunrise; in_the_evening late_in_the_day; at_dusk at_nightfall; at_dusk at_sunset; at_night during_the_night; at_night after_dark; overnight during_the_night; at_noon at_midday; at_noon at_twelve_o'clock; at_noon at_lunchtime; at_night around_midnight; in_winter during_winter; in_winter in_the_winter_months in_the_cold_season; in_summer during_summer; in_summer in_the_summer_months in_the_hot_season; at_the_weekend on_the_weekend; on_a_weekday during_the_week; during_the_war in_the_war_years; during_the_war in_wartime; during_the_holiday over_the_holidays
place: in_the_forest in_the_woods; in_the_woods among_the_trees; on_the_beach by_the_sea at_the_seaside; on_the_beach by_the_shore; on_the_beach on_the_sand; by_the_river on_the_riverbank; by_the_river beside_the_stream; in_the_field in_the_meadow on_the_pasture; in_the_hospital at_the_clinic; in_the_square on_the_plaza in_the_town_centre; on_the_street along_the_avenue; on_the_corner at_the_crossroads; at_the_border near_the_frontier; behind_bars in_prison in_jail; in_the_prison behind_bars; downtown in_the_town_centre in_the_city_centre; in_the_cellar underground; at_the_harbour near_the_docks; in_the_theatre on_the_stage; at_the_airport at_the_airfield; at_the_station in_the_terminal; in_the_yard behind_the_building; in_the_U.S. in_the_United_States in_America; in_the_capital
rate: often frequently; usually generally normally; also additionally; later afterwards subsequently; mostly mainly largely; mainly primarily; approximately roughly about; inside within; although though even_though; while whereas; during in_the_course_of; near close_to; including such_as; two a_pair_of; two a_couple_of; three a_trio_of; when at_the_time_that; however nevertheless; a_large_number_of numerous; now at_present; soon before_long
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
    "schoolchild": "schoolchildren", "policeman": "policemen", "sportsman": "sportsmen", "seaman": "seamen", "infantryman": "infantrymen",
    "herdsman": "herdsmen", "thief": "thieves", "wolf": "wolves", "loaf": "loaves", "aircraft": "aircraft", "wife": "wives",
    "sheep": "sheep", "swine": "swine", "species": "species", "person": "people", "people": "people", "persons": "persons",
    "potato": "potatoes", "ox": "oxen", "calf": "calves", "midwife": "midwives", "monarch": "monarchs",
    "crossroads": "crossroads", "salesperson": "salespeople", "head of state": "heads of state", "way": "ways", "spectators": "spectators",
}  # fmt: skip
DOUBLING_WORDS = """
permit occur drag pen spot lug scrub plan stop beg rob ban chop cut get hug let put run set shut wed win
"""
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
