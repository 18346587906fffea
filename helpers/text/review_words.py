"""The words of the book reviews, in the notation of `helpers/text/notation.py`, common ones first."""

import itertools

GENRES = ("crime", "romance", "fantasy", "space", "war", "sea", "ghost", "family")

# The names that a review keeps once it has used them, and that occur nowhere else. Each genre has a woman and
# a man who write it, and one of either as main character: few enough to know them all after reading a little.
SURNAMES = """whitfield marsh   lindqvist moreau   novak tanaka   brandt rossi   mcallister petrov
    haddad szabo   ellsworth kapoor   lambert drummond"""
FIRST_NAMES = """irene simon   clara leon   alma kaspar   zara hugo   anna stefan   nora tom   miriam otto
    helen daniel"""
NAMES = {
    f"{{{kind}}}[{genre} {pronoun}]": [names.split()[place]]
    for kind, names in (("author", SURNAMES), ("hero", FIRST_NAMES))
    for place, (genre, pronoun) in enumerate(itertools.product(GENRES, ("she", "he")))
}

WORDS = """
Given[she] ~ julia eleanor grace margaret naomi beatrice isabel charlotte ingrid rosa amelia yuki fatima
  louise agnes leila
Given[he] ~ henry samuel george marcus philip adrian david nicholas rafael gabriel bernard kofi vincent
  leonard ibrahim edmund

Kind[crime n] ~ mystery/mysteries thriller/thrillers whodunit/whodunits
Kind[romance n] ~ romance/romances love_story/love_stories romantic_comedy/romantic_comedies
Kind[fantasy n] ~ fantasy/fantasies fairy_tale/fairy_tales legend/legends
Kind[space n] ~ space_opera/space_operas dystopia/dystopias utopia/utopias
Kind[war n] ~ war_novel/war_novels chronicle/chronicles tragedy/tragedies
Kind[sea n] ~ adventure_story/adventure_stories sea_story/sea_stories travelogue/travelogues
Kind[ghost n] ~ ghost_story/ghost_stories horror_novel/horror_novels nightmare/nightmares
Kind[family n] ~ family_novel/family_novels memoir/memoirs saga/sagas

Role[crime n] ~ detective/detectives lawyer/lawyers thief/thieves journalist/journalists
  inspector/inspectors banker/bankers witness/witnesses
Role[romance n] ~ dancer/dancers gardener/gardeners musician/musicians baker/bakers florist/florists
  actor/actors photographer/photographers
Role[fantasy n] ~ wizard/wizards knight/knights dwarf/dwarves minstrel/minstrels archer/archers elf/elves
  blacksmith/blacksmiths
Role[space n] ~ pilot/pilots engineer/engineers astronaut/astronauts robot/robots colonist/colonists
  mechanic/mechanics navigator/navigators
Role[war n] ~ soldier/soldiers nurse/nurses spy/spies general/generals prisoner/prisoners sergeant/sergeants
  deserter/deserters
Role[sea n] ~ sailor/sailors captain/captains pirate/pirates explorer/explorers diver/divers
  smuggler/smugglers whaler/whalers
Role[ghost n] ~ caretaker/caretakers priest/priests orphan/orphans undertaker/undertakers lodger/lodgers
  exorcist/exorcists gravedigger/gravediggers
Role[family n] ~ teacher/teachers farmer/farmers doctor/doctors shopkeeper/shopkeepers tailor/tailors
  clerk/clerks midwife/midwives

Thing[crime] ~ knife necklace briefcase clue ransom_note safe revolver stolen_painting fingerprint
Thing[romance] ~ ring love_letter rose violin scarf locket bouquet photograph invitation
Thing[fantasy] ~ sword crown spell amulet magic_mirror cloak scroll throne potion
Thing[space] ~ battery capsule reactor probe telescope satellite beacon hologram antenna
Thing[war] ~ rifle pistol telegram flag medal radio uniform grenade passport
Thing[sea] ~ map compass treasure raft anchor lantern pearl harpoon spyglass
Thing[ghost] ~ key candle doll coffin portrait skull bell mask shroud
Thing[family] ~ diary suitcase quilt piano clock bicycle sewing_machine teapot ledger

Place[crime] ~ in_a_quiet_village in_london at_a_grand_hotel on_a_night_train at_a_boarding_school
Place[romance] ~ in_paris in_a_seaside_town at_a_country_wedding in_venice on_a_vineyard
Place[fantasy] ~ in_a_enchanted_forest beyond_the_mountains in_a_ruined_castle in_a_frozen_kingdom
  under_the_hills
Place[space] ~ on_mars on_a_distant_moon aboard_a_failing_ship in_a_glass_city in_deep_orbit
Place[war] ~ in_a_occupied_city at_the_front in_the_trenches in_a_prison_camp behind_enemy_lines
Place[sea] ~ on_a_desert_island in_the_arctic across_the_pacific in_a_busy_harbour on_a_sinking_steamer
Place[ghost] ~ in_a_abandoned_house on_a_foggy_moor in_a_old_cemetery in_a_remote_abbey in_a_dark_cellar
Place[family] ~ on_a_poor_farm in_a_crowded_flat in_brooklyn in_a_mining_town by_a_muddy_river

Trait ~ young old lonely stubborn shy restless ambitious retired curious unlucky proud quiet brave forgetful
  angry ordinary mysterious reckless homesick eccentric jealous absent-minded
Ordinal ~ first second latest third new fourth last debut fifth sixth
Neutral ~ short long new little recent slim old-fashioned translated quiet thick illustrated

Act[n] ~ finds/find loses/lose steals/steal hides/hide discovers/discover buys/buy inherits/inherit
  sells/sell breaks/break repairs/repair protects/protect destroys/destroy borrows/borrow smashes/smash
  returns/return guards/guard
Seek[n] ~ follows/follow helps/help betrays/betray watches/watch rescues/rescue hunts/hunt hires/hire
  recognises/recognise deceives/deceive accuses/accuse warns/warn blackmails/blackmail
Do[n] ~ trusts_nobody/trust_nobody falls_in_love/fall_in_love runs_away/run_away
  tells_the_truth/tell_the_truth changes_sides/change_sides makes_a_mistake/make_a_mistake
  keeps_the_secret/keep_the_secret goes_home/go_home pays_a_high_price/pay_a_high_price
  waits_too_long/wait_too_long asks_for_help/ask_for_help loses_everything/lose_everything
  disappears/disappear learns_to_lie/learn_to_lie gets_lost/get_lost confesses/confess

Aspect[craft one] ~ prose style writing dialogue language pacing tone narration structure humour rhythm
  imagery vocabulary phrasing
Aspect[craft many] ~ descriptions sentences chapters jokes conversations metaphors details flashbacks
  paragraphs monologues
Aspect[matter one] ~ story plot ending beginning setting premise atmosphere mood conflict climax finale
  epilogue message
Aspect[matter many] ~ characters twists scenes themes ideas relationships motives secrets villains adventures
Run[n] ~ dominates/dominate carries/carry fills/fill
Within ~ in_the_first_half in_the_second_half of_the_opening_pages of_the_last_chapter of_the_early_chapters
  in_the_middle_part in_both_halves of_the_final_pages

Mood[good] ~ luckily happily
Mood[bad] ~ sadly unfortunately
Short[good] ~ good great clever fresh funny rich sharp warm
Short[bad] ~ bad dull weak flat slow poor thin clumsy
Long[good] ~ wonderful charming beautiful gripping moving superb brilliant vivid elegant original convincing
  excellent memorable subtle powerful delightful
Long[bad] ~ boring predictable tedious shallow confusing awkward wooden empty forgettable repetitive terrible
  careless lifeless sentimental dreary pretentious
Degree ~ very really quite truly often always simply rather deeply unusually surprisingly utterly consistently
Very ~ very really particularly always especially
Not ~ not never not_at_all hardly far_from rarely anything_but by_no_means

Virtue ~ charm wit warmth depth tension energy imagination surprises wisdom heart suspense colour passion
  insight
Vice ~ clichés nonsense holes padding mistakes platitudes coincidences stereotypes loose_ends jargon
  self-pity repetitions contradictions moralising
Shine[n] ~ works/work shines/shine surprises_me/surprise_me moves_me/move_me rings_true/ring_true
  stays_with_me/stay_with_me sparkles/sparkle convinces_me/convince_me
Fail[n] ~ drags/drag fails/fail bores_me/bore_me falls_flat/fall_flat annoys_me/annoy_me
  goes_nowhere/go_nowhere wears_thin/wear_thin disappoints_me/disappoint_me
Well ~ well beautifully elegantly brilliantly skilfully vividly wittily gracefully movingly
Badly ~ badly clumsily carelessly poorly lazily awkwardly stiffly sloppily feebly
Like[t] ~ enjoyed/enjoy liked/like loved/love admired/admire adored/adore
Dislike[t] ~ disliked/dislike hated/hate despised/despise loathed/loathe detested/detest

Outer[one] ~ cover print paper binding typeface price blurb
Outer[many] ~ illustrations maps photographs footnotes margins page_numbers
Fine ~ beautiful good lovely elegant fine charming pretty tasteful
Ugly ~ ugly bad poor terrible cheap dull awful shabby
Month ~ in_january in_march in_june in_august in_october in_december last_week last_winter last_summer
  this_spring on_a_rainy_sunday during_the_holidays
Where ~ on_the_train in_bed at_the_airport in_the_garden on_the_beach in_hospital by_the_fire in_one_sitting
  over_two_evenings during_lunch_breaks
Source[she] ~ my_sister my_mother my_aunt my_wife my_grandmother
Source[he] ~ my_brother my_father my_uncle my_husband my_neighbour
Source[they] ~ the_critics my_friends most_reviewers my_students my_colleagues
Reader ~ my_friends everyone my_students anyone_on_holiday a_patient_reader my_book_club young_readers
  impatient_people
"""
