# ruff: noqa: E501 -- one relation a line, whatever its length
"""The words of the mini world: every concept with its interchangeable surface forms.

All word lists were written for this project.  A concept stands for one meaning; its words are
synonyms by decree, also where English would see a shade of difference.  `_` joins the words of one
form.  No noun form and no verb form belongs to two concepts, so a word never has two meanings.
"""

# category: concept = form form ...; a concept with `*` is the general one, the parent of the others.
NOUN_LINES = """
medicine.staff: doctor = doctor physician medic clinician; nurse = nurse carer orderly caregiver
medicine.staff: pharmacist = pharmacist chemist druggist apothecary
medicine.patient: patient = patient invalid sufferer convalescent
medicine.patient: casualty = casualty victim injured_person; baby = baby infant newborn toddler
medicine.remedy: medicine = medicine drug remedy medication; bandage = bandage dressing plaster
music.player: *musician = musician performer entertainer artiste; violinist = violinist fiddler
music.player: singer = singer vocalist crooner chanteuse; drummer = drummer percussionist
music.piece: song = song tune melody ditty; waltz = waltz dance_piece
music.audience: audience = audience crowd gathering; fan = fan admirer enthusiast devotee
kitchen.cook: cook = cook chef caterer; waiter = waiter server steward
kitchen.food: soup = soup broth stew chowder; cake = cake tart pastry gateau
kitchen.food: meal = meal dinner supper feast; potato = potato spud tuber
farm.worker: farmer = farmer grower planter ploughman; shepherd = shepherd herder drover
farm.animal: horse = horse steed mare; pig = pig hog boar; cow = cow heifer ox
animals.pet: *animal = animal creature beast; dog = dog hound canine pooch; cat = cat feline kitty
animals.pet: rabbit = rabbit bunny hare
animals.predator: wolf = wolf wild_dog; bear = bear grizzly
school.teacher: teacher = teacher instructor tutor schoolmaster; professor = professor scholar academic
school.pupil: pupil = pupil student learner schoolgirl
school.text: book = book volume tome; essay = essay composition dissertation
school.text: report = report account bulletin
sport.athlete: *athlete = athlete sportsman competitor; runner = runner sprinter jogger
sport.athlete: boxer = boxer pugilist prizefighter; footballer = footballer soccer_player striker
sport.coach: coach = coach trainer manager
sport.event: match = match game contest; race = race marathon; trophy = trophy cup medal
transport.driver: driver = driver motorist chauffeur; sailor = sailor seaman mariner deckhand
transport.driver: captain = captain skipper
transport.vehicle: *vehicle = vehicle conveyance; car = car automobile motorcar; ship = ship vessel boat
transport.vehicle: plane = plane aircraft airliner jet; truck = truck lorry van
transport.vehicle: bicycle = bicycle bike cycle
law.officer: policeman = policeman constable officer cop; judge = judge magistrate justice
law.officer: lawyer = lawyer attorney solicitor advocate
law.criminal: thief = thief robber burglar crook; prisoner = prisoner inmate convict captive
law.valuable: jewel = jewel gem gemstone; purse = purse handbag wallet
business.boss: *boss = boss employer chief; merchant = merchant trader dealer shopkeeper
business.boss: banker = banker financier moneylender
business.staff: worker = worker labourer employee; customer = customer shopper client
business.firm: company = company firm corporation enterprise; shop = shop store boutique
business.firm: factory = factory plant mill
politics.leader: king = king monarch sovereign ruler; mayor = mayor town_leader
politics.leader: minister = minister cabinet_member
politics.people: soldier = soldier trooper warrior; rebel = rebel insurgent mutineer
politics.people: citizen = citizen resident inhabitant
politics.measure: law = law statute regulation; tax = tax levy duty; treaty = treaty pact accord agreement
politics.measure: plan = plan scheme project proposal
art.maker: painter = painter artist; writer = writer author novelist; builder = builder bricklayer mason
art.work: picture = picture painting canvas; statue = statue sculpture figure; poem = poem verse rhyme
art.building: house = house home dwelling residence; bridge = bridge overpass crossing
art.building: church = church chapel temple
science.researcher: scientist = scientist researcher; astronomer = astronomer stargazer
science.researcher: inventor = inventor tinkerer
science.object: comet = comet shooting_star; fossil = fossil petrified_bone
science.object: machine = machine device apparatus
people.person: *person = person individual; man = man gentleman guy fellow; woman = woman lady
people.child: *child = child kid youngster; boy = boy lad; girl = girl lass
"""

# relation @ agent categories > patient categories : verbs | converse verbs | noun for the event | opposite | family
# A converse verb says the same with the roles' places exchanged (A taught B = B learned from A).
RELATION_LINES = """
treat @ medicine.staff > medicine.patient animals.pet : treat heal cure look_after | | treatment | | medical
examine @ medicine.staff > medicine.patient animals.pet : examine inspect check look_over | | examination | | medical
deliver @ medicine.staff kitchen.cook transport.driver > medicine.remedy kitchen.food : deliver bring/brought/brought supply hand_over | | delivery | | supply
perform @ music.player > music.piece : perform play present | | performance | | music
compose @ music.player > music.piece : compose create think_up/thought_up/thought_up | | composition | | music
delight @ music.player > music.audience people.person people.child : delight please thrill charm | enjoy appreciate | | | feeling
cook @ kitchen.cook people.person > kitchen.food : cook prepare make/made/made | | preparation | | food
eat @ kitchen.cook people.person people.child animals.pet > kitchen.food : eat/ate/eaten devour consume finish_off | | consumption | | food
cut @ kitchen.cook people.person > kitchen.food : cut/cut/cut slice chop carve_up | | | | food
feed @ farm.worker people.person people.child > farm.animal animals.pet : feed/fed/fed nourish | eat_from/ate_from/eaten_from | feeding | | care
wash @ farm.worker people.person people.child > farm.animal animals.pet transport.vehicle : wash clean rinse scrub | | washing | | care
chase @ animals.pet animals.predator law.officer people.child > animals.pet farm.animal law.criminal : chase pursue hunt run_after/ran_after/run_after | flee_from/fled_from/fled_from escape_from | pursuit | | motion
frighten @ animals.predator law.criminal animals.pet > people.person people.child farm.animal : frighten scare terrify startle | fear dread | | | feeling
teach @ school.teacher > school.pupil people.child : teach/taught/taught instruct educate | learn_from study_under | instruction | | school
praise @ school.teacher politics.leader sport.coach > school.pupil art.maker sport.athlete : praise commend applaud compliment | | | criticise | judgement
criticise @ school.teacher politics.leader sport.coach > school.pupil art.maker sport.athlete : criticise blame condemn denounce | | condemnation | praise | judgement
read @ school.pupil school.teacher people.person > school.text : read/read/read peruse go_through/went_through/gone_through | | | | text
write @ school.pupil school.teacher art.maker > school.text : write/wrote/written pen draft | | | | text
defeat @ sport.athlete politics.people > sport.athlete politics.people : defeat beat/beat/beaten overcome/overcame/overcome conquer | lose_to/lost_to/lost_to succumb_to bow_to | defeat | | contest
win @ sport.athlete > sport.event : win/won/won secure clinch | | | | contest
drive @ transport.driver people.person > transport.vehicle : drive/drove/driven steer operate | | | | motion
repair @ transport.driver business.staff science.researcher > transport.vehicle : repair fix mend restore | | repair | damage | making
damage @ transport.driver law.criminal politics.people > transport.vehicle art.building : damage wreck ruin smash | | | repair | harm
follow @ law.officer people.person people.child transport.driver > law.criminal people.person animals.pet : follow trail shadow | lead/led/led guide | | | motion
arrest @ law.officer > law.criminal politics.people : arrest detain seize capture | | arrest | release | police
release @ law.officer politics.leader > law.criminal politics.people : release free liberate let_go/let_go/let_go | | liberation | arrest | police
steal @ law.criminal > law.valuable transport.vehicle : steal/stole/stolen swipe pilfer make_off_with/made_off_with/made_off_with | | theft | | harm
accuse @ law.officer business.boss > law.criminal business.staff : accuse charge indict | | accusation | defend | police
defend @ law.officer politics.people > law.criminal politics.leader : defend protect stand_up_for/stood_up_for/stood_up_for | rely_on | defence | accuse | police
employ @ business.boss business.firm > business.staff transport.driver : employ hire engage recruit | work_for | | dismiss | work
dismiss @ business.boss business.firm > business.staff transport.driver : dismiss fire sack lay_off/laid_off/laid_off | | dismissal | employ | work
buy @ business.boss people.person > business.firm art.work art.building transport.vehicle : buy/bought/bought purchase acquire | | purchase | sell | trade
sell @ business.boss art.maker > business.firm art.work art.building transport.vehicle : sell/sold/sold dispose_of auction | | sale | buy | trade
open @ business.boss politics.leader > business.firm : open found establish launch | | founding | close | work
close @ business.boss politics.leader > business.firm : close shut_down/shut_down/shut_down wind_up/wound_up/wound_up | | closure | open | work
support @ politics.people politics.leader > politics.leader politics.measure : support back endorse favour | | | oppose | politics
oppose @ politics.people politics.leader > politics.leader politics.measure : oppose resist object_to | | | support | politics
approve @ politics.leader > politics.measure : approve pass sign adopt | | approval | reject | politics
reject @ politics.leader > politics.measure : reject veto turn_down refuse | | rejection | approve | politics
attack @ politics.people animals.predator > politics.people people.person farm.animal : attack assault strike/struck/struck | | attack | rescue | harm
rescue @ politics.people law.officer transport.driver > people.person people.child politics.leader : rescue save bail_out | | rescue | attack | care
meet= @ politics.leader business.boss art.maker science.researcher > politics.leader art.maker music.player : meet/met/met encounter run_into/ran_into/run_into | meet/met/met encounter | meeting | | contact
marry = @ music.player art.maker sport.athlete > music.player art.maker sport.athlete : marry wed | marry wed | wedding | | contact
paint @ art.maker people.child > art.work art.building animals.pet : paint draw/drew/drawn sketch portray | | depiction | | making
build @ art.maker business.firm > art.building : build/built/built construct erect put_up/put_up/put_up | | construction | destroy | making
destroy @ politics.people business.firm > art.building art.work : destroy demolish tear_down/tore_down/torn_down raze | | destruction | build | harm
discover @ science.researcher people.child > science.object : discover find/found/found detect come_across/came_across/come_across | | discovery | | science
hug @ people.person people.child > people.child animals.pet : hug embrace cuddle | | | | contact
watch @ people.person people.child animals.pet > animals.pet farm.animal sport.event music.player : watch observe look_at | | observation | | contact
carry @ people.person business.staff farm.worker > people.child animals.pet art.work law.valuable : carry haul transport lug | | transport | | motion
help @ medicine.staff people.person law.officer > people.person people.child school.pupil : help assist aid | turn_to | | | care
"""

# key = form form ...; the preposition is part of the form
PLACE_LINES = """
park = in_the_park in_the_public_garden on_the_green
street = on_the_street on_the_road along_the_avenue
market = at_the_market at_the_bazaar at_the_fair
station = at_the_station at_the_railway_stop in_the_terminal
harbour = at_the_harbour at_the_port near_the_docks
village = in_the_village in_the_hamlet in_the_rural_community
beach = on_the_beach at_the_seaside by_the_shore
forest = in_the_forest in_the_woods in_the_woodland
square = in_the_square on_the_plaza in_the_town_centre
river = by_the_river beside_the_stream on_the_riverbank
field = in_the_field in_the_meadow on_the_pasture
yard = in_the_yard in_the_backyard behind_the_building
hill = on_the_hill on_the_slope on_the_rise
hospital = in_the_hospital at_the_clinic in_the_infirmary
hall = in_the_hall in_the_auditorium in_the_assembly_room
prison = in_the_prison in_the_jail behind_bars
velmora = in_Velmora in_the_capital
harwick = in_Harwick in_the_northern_port_city
tolsen = in_Tolsen in_the_old_mining_town
stalwin = in_St._Alwin in_the_cathedral_city
america = in_the_U.S. in_America in_the_United_States
quarrel = on_Quarrel_Lane in_the_shopping_district
"""

TIME_LINES = """
morning = in_the_morning at_dawn at_sunrise
evening = in_the_evening at_dusk at_sunset
night = at_night after_dark in_the_dead_of_night
noon = at_noon at_midday at_twelve_o'clock
winter = in_winter in_the_cold_season in_January
summer = in_summer in_the_hot_season in_July
weekend = at_the_weekend on_Saturday
workday = on_a_weekday on_Tuesday
war = during_the_war in_wartime
holiday = during_the_holiday over_the_festive_break
"""
YEARS = tuple(range(1931, 2011, 4))  # twenty years, so that each is frequent enough to be learned

MANNER_LINES = """
quickly = quickly rapidly swiftly in_a_hurry
slowly = slowly gradually without_haste
carefully = carefully cautiously with_great_care
secretly = secretly covertly in_secret
publicly = publicly openly in_full_view
freely = free_of_charge at_no_cost without_payment
again = again once_more a_second_time
accidentally = accidentally by_mistake by_chance
"""

# attributes of people and animals, then of things
LIVING_ATTRIBUTE_LINES = """
old = old elderly aged
young = young youthful
famous = famous well-known celebrated renowned
rich = rich wealthy affluent
poor = poor penniless needy
tired = tired weary_looking exhausted
angry = angry furious irate
foreign = foreign overseas
"""
THING_ATTRIBUTE_LINES = """
large = large big huge
small = small little tiny
new = new brand-new modern
ancient = ancient centuries-old historic
red = red crimson scarlet
expensive = expensive costly pricey
broken = broken faulty defective
beautiful = beautiful lovely handsome
"""

COUNT_FORMS = {
    1: (),
    2: ("two", "a pair of", "both"),
    3: ("three", "a trio of"),
    9: ("many", "numerous", "a large number of"),
}

SURNAME_WORDS = """
Keller Moreau Okafor Lindqvist Tanaka Rossi Novak Haddad Byrne Castillo Petrov Larsen Whitmore Adeyemi
Kowalski Fischer
"""
SURNAMES = tuple(SURNAME_WORDS.split())
FIRST_NAME_WORDS = """
Anna Marie Chidi Elsa Kenji Paolo Jana Samir Nora Luis Ivan Greta Paul Ruth Adam Clara
"""
FIRST_NAMES = tuple(FIRST_NAME_WORDS.split())

NEUTRAL_ADVERB_WORDS = """
in_fact as_it_happens of_course indeed by_all_accounts as_everyone_knows to_be_precise in_the_end
"""
NEUTRAL_ADVERBS = tuple(NEUTRAL_ADVERB_WORDS.split())
REPORT_FRAME_WORDS = """
it_is_known_that records_show_that witnesses_said_that it_was_reported_that a_newspaper_wrote_that
local_historians_say_that according_to_the_press_, as_the_archives_confirm_, sources_claim_that
"""
REPORT_FRAMES = tuple(REPORT_FRAME_WORDS.split())
CONNECTIVE_WORDS = """
and while whereas ;_meanwhile_, and_at_the_same_time ,_and_besides_, ,_in_addition_to_which
"""
CONNECTIVES = tuple(CONNECTIVE_WORDS.split())

IRREGULAR_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "mouse": "mice", "ox": "oxen", "thief": "thieves",
    "wolf": "wolves", "seaman": "seamen", "policeman": "policemen", "sportsman": "sportsmen", "chairman": "chairmen",
    "gentleman": "gentlemen", "ploughman": "ploughmen", "aircraft": "aircraft", "potato": "potatoes", "monarch": "monarchs",
    "head of state": "heads of state", "person": "people", "injured person": "injured people",
}  # fmt: skip

# Regular verbs that double their last letter before -ed and -ing.
DOUBLING_WORDS = """
chop scrub hug wed pen drop sit put let shut cut run win lug
"""
DOUBLING = frozenset(DOUBLING_WORDS.split())
