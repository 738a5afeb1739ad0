# ruff: noqa: E501 -- one relation a line, whatever its length
"""The words of the mini world: every concept with its interchangeable surface forms.

All word lists were written for this project.  A concept stands for one meaning; its words are
synonyms by decree, also where English would see a shade of difference.  `_` joins the words of one
form.  No noun form and no verb form belongs to two concepts, so a word never has two meanings.
"""

# category: concept = form form ...; a concept with `*` is the general one, the parent of the others.
NOUN_LINES = """
medicine.staff: doctor = doctor physician medic clinician; nurse = nurse carer orderly caregiver nursing_aide
medicine.staff: pharmacist = pharmacist chemist druggist apothecary
medicine.staff: dentist = dentist dental_surgeon; midwife = midwife birth_attendant
medicine.patient: patient = patient invalid sufferer convalescent inpatient outpatient
medicine.patient: casualty = casualty victim injured_person wounded_person; baby = baby infant newborn toddler tot
medicine.remedy: medicine = medicine drug remedy medication; bandage = bandage dressing plaster
medicine.remedy: vaccine = vaccine jab injection; ointment = ointment salve balm
music.player: *musician = musician performer entertainer artiste instrumentalist; violinist = violinist fiddler
music.player: singer = singer vocalist crooner chanteuse songstress; drummer = drummer percussionist
music.player: pianist = pianist keyboard_player; guitarist = guitarist guitar_player strummer
music.piece: song = song tune melody ditty ballad aria; waltz = waltz dance_piece
music.piece: symphony = symphony orchestral_work; hymn = hymn psalm anthem
music.audience: audience = audience crowd gathering; fan = fan admirer enthusiast devotee supporter
kitchen.cook: cook = cook chef caterer kitchen_hand; waiter = waiter server steward
kitchen.cook: baker = baker bread_maker
kitchen.food: soup = soup broth stew chowder bisque; cake = cake tart pastry gateau sponge muffin
kitchen.food: meal = meal dinner supper feast lunch; potato = potato spud tuber
kitchen.food: bun = bun bread_roll bagel; salad = salad coleslaw; steak = steak fillet cutlet
kitchen.food: pizza = pizza flatbread; onion = onion shallot leek
farm.worker: farmer = farmer grower planter ploughman rancher; shepherd = shepherd herder drover
farm.animal: horse = horse steed mare stallion pony; pig = pig hog boar sow piglet; cow = cow heifer ox bull calf
farm.animal: sheep = ewe ram lamb; goat = goat billy_goat nanny_goat; chicken = chicken hen rooster
farm.animal: donkey = donkey mule burro
animals.pet: *animal = animal creature beast; dog = dog hound canine pooch puppy terrier; cat = cat feline kitty kitten tomcat
animals.pet: rabbit = rabbit bunny hare
animals.pet: parrot = parrot cockatoo macaw; hamster = hamster gerbil guinea_pig
animals.predator: wolf = wolf wild_dog; bear = bear grizzly
animals.predator: tiger = tiger tigress; fox = fox vixen; snake = snake serpent viper
school.teacher: teacher = teacher instructor tutor schoolmaster educator; professor = professor scholar academic lecturer
school.pupil: pupil = pupil student learner schoolgirl schoolboy
school.text: book = book volume tome paperback; essay = essay composition dissertation treatise
school.text: report = report account bulletin dispatch
school.text: letter = letter note memo; article = article column editorial; diary = diary journal logbook
sport.athlete: *athlete = athlete sportsman competitor contender; runner = runner sprinter jogger racer
sport.athlete: boxer = boxer pugilist prizefighter; footballer = footballer soccer_player striker goalkeeper
sport.athlete: swimmer = swimmer freestyler; cyclist = cyclist bike_rider; golfer = golfer golf_player
sport.coach: coach = coach trainer manager
sport.event: match = match game contest fixture; race = race marathon; trophy = trophy cup medal prize
sport.event: tournament = tournament championship competition
transport.driver: driver = driver motorist chauffeur trucker; sailor = sailor seaman mariner deckhand boatswain
transport.driver: captain = captain skipper
transport.driver: pilot = pilot aviator flyer
transport.vehicle: *vehicle = vehicle conveyance; car = car automobile motorcar sedan taxi; ship = ship vessel boat ferry yacht
transport.vehicle: plane = plane aircraft airliner jet airplane; truck = truck lorry van pickup
transport.vehicle: bicycle = bicycle bike cycle
transport.vehicle: bus = bus minibus shuttle; train = train locomotive railcar
transport.vehicle: helicopter = helicopter chopper; motorcycle = motorcycle motorbike scooter
law.officer: policeman = policeman constable officer cop sheriff; judge = judge magistrate justice jurist
law.officer: lawyer = lawyer attorney solicitor advocate barrister
law.officer: detective = detective investigator sleuth
law.criminal: thief = thief robber burglar crook bandit shoplifter; prisoner = prisoner inmate convict captive detainee
law.criminal: smuggler = smuggler bootlegger; pirate = pirate buccaneer; murderer = murderer killer assassin
law.valuable: jewel = jewel gem gemstone diamond ruby; purse = purse handbag wallet
law.valuable: necklace = necklace pendant locket; coin = coin doubloon
business.boss: *boss = boss employer chief supervisor; merchant = merchant trader dealer shopkeeper retailer vendor
business.boss: banker = banker financier moneylender
business.boss: investor = investor shareholder financial_backer
business.staff: worker = worker labourer employee operative staffer; customer = customer shopper client
business.staff: clerk = clerk secretary typist; salesperson = sales_assistant shop_assistant cashier
business.firm: company = company firm corporation enterprise conglomerate startup; shop = shop store boutique supermarket kiosk
business.firm: factory = factory plant mill refinery
business.firm: bank = bank savings_bank; hotel = hotel inn guesthouse; restaurant = restaurant cafe bistro
politics.leader: king = king monarch sovereign ruler emperor; mayor = mayor town_leader
politics.leader: minister = minister cabinet_member
politics.leader: president = president head_of_state; senator = senator lawmaker legislator
politics.leader: ambassador = ambassador envoy diplomat
politics.people: soldier = soldier trooper warrior infantryman; rebel = rebel insurgent mutineer guerrilla
politics.people: citizen = citizen resident inhabitant townsman
politics.people: protester = protester demonstrator activist; refugee = refugee migrant asylum_seeker
politics.people: voter = voter elector
politics.measure: law = law statute regulation ordinance decree; tax = tax levy duty tariff; treaty = treaty pact accord agreement
politics.measure: plan = plan scheme project proposal initiative blueprint
politics.measure: budget = budget spending_bill; reform = reform overhaul; ban = ban prohibition embargo
art.maker: painter = painter artist illustrator; writer = writer author novelist essayist; builder = builder bricklayer mason carpenter
art.maker: sculptor = sculptor stone_carver; photographer = photographer camera_operator
art.maker: journalist = journalist reporter columnist; poet = poet bard
art.work: picture = picture painting canvas portrait; statue = statue sculpture figure bust; poem = poem verse rhyme sonnet
art.work: novel = novel storybook; photograph = photograph photo snapshot; vase = vase urn jar
art.building: house = house home dwelling residence cottage villa; bridge = bridge overpass crossing viaduct
art.building: church = church chapel temple cathedral
art.building: castle = castle fortress palace; tower = tower steeple skyscraper; museum = museum gallery
art.building: library = library reading_room
science.researcher: scientist = scientist researcher; astronomer = astronomer stargazer
science.researcher: inventor = inventor tinkerer
science.researcher: biologist = biologist naturalist; engineer = engineer technician
science.researcher: physicist = physicist atom_scientist
science.object: comet = comet shooting_star; fossil = fossil petrified_bone
science.object: machine = machine device apparatus gadget
science.object: planet = planet celestial_body; virus = virus germ microbe; robot = robot android
people.person: *person = person individual; man = man gentleman guy fellow bloke chap; woman = woman lady gal
people.person: neighbour = neighbour next-door_resident; tourist = tourist traveller sightseer
people.child: *child = child kid youngster youth; boy = boy lad; girl = girl lass maiden
people.child: teenager = teenager adolescent; orphan = orphan foundling
"""

# relation @ agent categories > patient categories : verbs | converse verbs | noun for the event | opposite | family
# A converse verb says the same with the roles' places exchanged (A taught B = B learned from A).
RELATION_LINES = """
treat @ medicine.staff > medicine.patient animals.pet : treat heal cure look_after attend_to | | treatment | | medical
examine @ medicine.staff > medicine.patient animals.pet : examine inspect check look_over assess | | examination | | medical
deliver @ medicine.staff kitchen.cook transport.driver > medicine.remedy kitchen.food : deliver bring/brought/brought supply hand_over convey | | delivery | | supply
perform @ music.player > music.piece : perform play present stage render | | performance | | music
compose @ music.player > music.piece : compose create think_up/thought_up/thought_up craft | | composition | | music
delight @ music.player > music.audience people.person people.child : delight please thrill charm amuse entertain | enjoy appreciate | | | feeling
cook @ kitchen.cook people.person > kitchen.food : cook prepare make/made/made fry bake | | preparation | | food
eat @ kitchen.cook people.person people.child animals.pet > kitchen.food : eat/ate/eaten devour consume finish_off gobble swallow | | consumption | | food
cut @ kitchen.cook people.person > kitchen.food : cut/cut/cut slice chop carve_up dice mince | | | | food
feed @ farm.worker people.person people.child > farm.animal animals.pet : feed/fed/fed nourish nurture | eat_from/ate_from/eaten_from | feeding | | care
wash @ farm.worker people.person people.child > farm.animal animals.pet transport.vehicle : wash clean rinse scrub soap hose_down | | washing | | care
chase @ animals.pet animals.predator law.officer people.child > animals.pet farm.animal law.criminal : chase pursue hunt run_after/ran_after/run_after stalk tail | flee_from/fled_from/fled_from escape_from | pursuit | | motion
frighten @ animals.predator law.criminal animals.pet > people.person people.child farm.animal : frighten scare terrify startle alarm spook | fear dread | | | feeling
teach @ school.teacher > school.pupil people.child : teach/taught/taught instruct educate school | learn_from study_under | instruction | | school
praise @ school.teacher politics.leader sport.coach > school.pupil art.maker sport.athlete : praise commend applaud compliment laud hail | | | criticise | judgement
criticise @ school.teacher politics.leader sport.coach > school.pupil art.maker sport.athlete : criticise blame condemn denounce slam rebuke | | condemnation | praise | judgement
read @ school.pupil school.teacher people.person > school.text : read/read/read peruse go_through/went_through/gone_through skim study | | | | text
write @ school.pupil school.teacher art.maker > school.text : write/wrote/written pen draft | | | | text
defeat @ sport.athlete politics.people > sport.athlete politics.people : defeat beat/beat/beaten overcome/overcame/overcome conquer trounce outplay | lose_to/lost_to/lost_to succumb_to bow_to | defeat | | contest
win @ sport.athlete > sport.event : win/won/won secure clinch | | | | contest
drive @ transport.driver people.person > transport.vehicle : drive/drove/driven steer operate | | | | motion
repair @ transport.driver business.staff science.researcher > transport.vehicle : repair fix mend restore patch_up | | repair | damage | making
damage @ transport.driver law.criminal politics.people > transport.vehicle art.building : damage wreck ruin smash vandalise dent | | | repair | harm
follow @ law.officer people.person people.child transport.driver > law.criminal people.person animals.pet : follow trail shadow tag_after | lead/led/led guide | | | motion
arrest @ law.officer > law.criminal politics.people : arrest detain seize capture apprehend nab | | arrest | release | police
release @ law.officer politics.leader > law.criminal politics.people : release free liberate let_go/let_go/let_go discharge set_free/set_free/set_free | | liberation | arrest | police
steal @ law.criminal > law.valuable transport.vehicle : steal/stole/stolen swipe pilfer make_off_with/made_off_with/made_off_with snatch nick | | theft | | harm
accuse @ law.officer business.boss > law.criminal business.staff : accuse charge indict implicate | | accusation | defend | police
defend @ law.officer politics.people > law.criminal politics.leader : defend protect stand_up_for/stood_up_for/stood_up_for shield guard | rely_on | defence | accuse | police
employ @ business.boss business.firm > business.staff transport.driver : employ hire engage recruit take_on/took_on/taken_on enlist | work_for | | dismiss | work
dismiss @ business.boss business.firm > business.staff transport.driver : dismiss fire sack lay_off/laid_off/laid_off axe oust | | dismissal | employ | work
buy @ business.boss people.person > business.firm art.work art.building transport.vehicle : buy/bought/bought purchase acquire snap_up | | purchase | sell | trade
sell @ business.boss art.maker > business.firm art.work art.building transport.vehicle : sell/sold/sold dispose_of auction peddle flog | | sale | buy | trade
open @ business.boss politics.leader > business.firm : open found establish launch inaugurate set_up/set_up/set_up | | founding | close | work
close @ business.boss politics.leader > business.firm : close shut_down/shut_down/shut_down wind_up/wound_up/wound_up shutter | | closure | open | work
support @ politics.people politics.leader > politics.leader politics.measure : support back endorse favour promote | | | oppose | politics
oppose @ politics.people politics.leader > politics.leader politics.measure : oppose resist object_to fight/fought/fought | | | support | politics
approve @ politics.leader > politics.measure : approve pass sign adopt ratify | | approval | reject | politics
reject @ politics.leader > politics.measure : reject veto turn_down refuse scupper | | rejection | approve | politics
attack @ politics.people animals.predator > politics.people people.person farm.animal : attack assault strike/struck/struck ambush raid | | attack | rescue | harm
rescue @ politics.people law.officer transport.driver > people.person people.child politics.leader : rescue save bail_out recover | | rescue | attack | care
meet= @ politics.leader business.boss art.maker science.researcher > politics.leader art.maker music.player : meet/met/met encounter run_into/ran_into/run_into | meet/met/met encounter | meeting | | contact
marry = @ music.player art.maker sport.athlete > music.player art.maker sport.athlete : marry wed | marry wed | wedding | | contact
paint @ art.maker people.child > art.work art.building animals.pet : paint draw/drew/drawn sketch portray depict | | depiction | | making
build @ art.maker business.firm > art.building : build/built/built construct erect put_up/put_up/put_up assemble | | construction | destroy | making
destroy @ politics.people business.firm > art.building art.work : destroy demolish tear_down/tore_down/torn_down raze wipe_out flatten | | destruction | build | harm
discover @ science.researcher people.child > science.object : discover find/found/found detect come_across/came_across/come_across spot unearth | | discovery | | science
hug @ people.person people.child > people.child animals.pet : hug embrace cuddle cradle | | | | contact
watch @ people.person people.child animals.pet > animals.pet farm.animal sport.event music.player : watch observe look_at eye_up gaze_at | | observation | | contact
carry @ people.person business.staff farm.worker > people.child animals.pet art.work law.valuable : carry haul transport lug lift tote | | transport | | motion
help @ medicine.staff people.person law.officer > people.person people.child school.pupil : help assist aid lend_a_hand_to/lent_a_hand_to/lent_a_hand_to | turn_to | | | care
"""

# key = form form ...; the preposition is part of the form
PLACE_LINES = """
park = in_the_park in_the_public_garden on_the_green in_the_playground
street = on_the_street on_the_road along_the_avenue on_the_pavement
market = at_the_market at_the_bazaar at_the_fair at_the_stalls
station = at_the_station at_the_railway_stop in_the_terminal
harbour = at_the_harbour at_the_port near_the_docks
village = in_the_village in_the_hamlet in_the_rural_community in_the_settlement
beach = on_the_beach at_the_seaside by_the_shore on_the_sand
forest = in_the_forest in_the_woods in_the_woodland among_the_trees
square = in_the_square on_the_plaza in_the_town_centre downtown
river = by_the_river beside_the_stream on_the_riverbank on_the_lake
field = in_the_field in_the_meadow on_the_pasture on_the_lawn
yard = in_the_yard in_the_backyard behind_the_building
hill = on_the_hill on_the_slope on_the_rise on_the_mountain
hospital = in_the_hospital at_the_clinic in_the_infirmary in_the_ward
hall = in_the_hall in_the_auditorium in_the_assembly_room in_the_lobby
prison = in_the_prison in_the_jail behind_bars in_a_cell
velmora = in_Velmora in_the_capital
harwick = in_Harwick in_the_northern_port_city
tolsen = in_Tolsen in_the_old_mining_town
stalwin = in_St._Alwin in_the_cathedral_city
america = in_the_U.S. in_America in_the_United_States
quarrel = on_Quarrel_Lane in_the_shopping_district
valley = in_the_valley in_the_gorge in_the_ravine
island = on_the_island on_the_islet
airport = at_the_airport on_the_runway at_the_airfield
stadium = in_the_stadium in_the_arena
theatre = in_the_theatre on_the_stage in_the_playhouse
cellar = in_the_cellar in_the_basement underground
garden = in_the_garden in_the_orchard
desert = in_the_desert in_the_wasteland
border = at_the_border near_the_frontier
corner = on_the_corner at_the_crossroads
brenholt = in_Brenholt in_the_university_town
castera = in_Castera in_the_border_fort
france = in_France in_Paris
china = in_China in_Beijing
egypt = in_Egypt in_Cairo
brazil = in_Brazil in_the_Amazon
"""

TIME_LINES = """
morning = in_the_morning at_dawn at_sunrise before_breakfast
evening = in_the_evening at_dusk at_sunset at_nightfall
night = at_night after_dark in_the_dead_of_night overnight around_midnight
noon = at_noon at_midday at_twelve_o'clock at_lunchtime
winter = in_winter in_the_cold_season in_January in_February
summer = in_summer in_the_hot_season in_July in_August
weekend = at_the_weekend on_Saturday on_Sunday
workday = on_a_weekday on_Tuesday on_Monday on_Wednesday
war = during_the_war in_wartime
holiday = during_the_holiday over_the_festive_break at_Christmas
"""
YEARS = tuple(range(1931, 2011, 2))

MANNER_LINES = """
quickly = quickly rapidly swiftly in_a_hurry hastily
slowly = slowly gradually without_haste step_by_step
carefully = carefully cautiously with_great_care gently
secretly = secretly covertly in_secret behind_closed_doors
publicly = publicly openly in_full_view before_the_cameras
freely = free_of_charge at_no_cost without_payment gratis
again = again once_more a_second_time anew
accidentally = accidentally by_mistake by_chance unintentionally
"""

# attributes of people and animals, then of things
LIVING_ATTRIBUTE_LINES = """
old = old elderly aged grey-haired
young = young youthful teenage
famous = famous well-known celebrated renowned prominent acclaimed
rich = rich wealthy affluent well-off
poor = poor penniless needy destitute
tired = tired weary_looking exhausted sleepy
angry = angry furious irate enraged
foreign = foreign overseas immigrant
"""
THING_ATTRIBUTE_LINES = """
large = large big huge enormous giant
small = small little tiny miniature
new = new brand-new modern recent
ancient = ancient centuries-old historic antique
red = red crimson scarlet reddish
expensive = expensive costly pricey high-priced
broken = broken faulty defective cracked
beautiful = beautiful lovely handsome stunning
"""

COUNT_FORMS = {
    1: (),
    2: ("two", "a pair of", "both"),
    3: ("three", "a trio of"),
    4: ("four", "4"), 5: ("five", "5"), 6: ("six", "6"), 7: ("seven", "7"), 8: ("eight", "8"),
    10: ("ten", "10"), 12: ("twelve", "12"), 20: ("twenty", "20"), 50: ("fifty", "50"),
    100: ("a hundred", "100"),
    9: ("many", "numerous", "a large number of"),
}  # fmt: skip

SURNAME_WORDS = """
Keller Moreau Okafor Lindqvist Tanaka Rossi Novak Haddad Byrne Castillo Petrov Larsen Whitmore Adeyemi
Kowalski Fischer
Almeida Bauer Carter Dubois Eriksen Ferraro Gupta Hansen Ibarra Jensen Kimura Lopez
Mwangi Nakamura Osman Papadakis Quinn Ramirez Sato Thompson Ulrich Vargas Wagner Yilmaz
Zhukov Andersson Brennan Costa Delgado Evans Farouk Greco
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
    "midwife": "midwives", "embargo": "embargoes", "infantryman": "infantrymen", "townsman": "townsmen",
    "calf": "calves", "wounded person": "wounded people",
}  # fmt: skip

# Regular verbs that double their last letter before -ed and -ing.
DOUBLING_WORDS = """
chop scrub hug wed pen nab spot skim snap flog tag drop sit put let shut cut run win lug
"""
DOUBLING = frozenset(DOUBLING_WORDS.split())
