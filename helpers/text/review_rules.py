"""How the book reviews are put together, in the notation of `helpers/text/notation.py`.

The features of a symbol are what its parts have to agree on:

- y, the sentiment: `Clause[-y]` is a clause of the opposite one, as after "although";
- n, the number: "the jokes that fill the book are", "the plot ... is";
- w and v, the author's and the main character's pronoun;
- g, the genre, which a review's places, people and things share;
- k, what an opinion is about, so that "the plot is dull, but the plot is clever" can't be said.
"""

from helpers.text.review_words import GENRES

FEATURES = {
    "y": ("good", "bad"),
    "n": ("one", "many"),
    "w": ("she", "he"),
    "v": ("she", "he"),
    "p": ("she", "he", "they"),
    "g": GENRES,
    "k": ("craft", "matter"),
    "t": ("past", "base"),
}

RULES = """
Review = Review[g w v y]
Sentence = Opening[g w v] | Reading[g w] | About[g v] | Scene[g v] | Point[g w v y] | Also[n y] | Remark
  | Verdict[g w v y]
Review[g w v y] = Opening[g w v] Body[g w v y]
Body[g w v y] = 2 Point[g w v y] Point[g w v y] | 3 Point[g w v y] Point[g w v y] Verdict[g w v y]
  | 3 Scene[g v] Point[g w v y] Verdict[g w v y] | 4 Scene[g v] Point[g w v y] Point[g w v y]
  | 1 Point[g w v y] Remark Verdict[g w v y] | 1 Remark Point[g w v y] Point[g w v y]
  | 1 Scene[g v] Point[g w v y] Remark Verdict[g w v y]

Opening[g w v] = 3 Given[w] {author}[g w] 's Ordinal Kind[g one] is about Hero[g v] .
  | 2 in Their[w] Ordinal Kind[g one] , Given[w] {author}[g w] tells the story of Hero[g v] .
  | 2 this Neutral Kind[g one] by Given[w] {author}[g w] follows Hero[g v] .
  | 1 Reading[g w] About[g v]
Reading[g w] = i read this Kind[g one] by Given[w] {author}[g w] Month .
About[g v] = it is about Hero[g v] .
Hero[g v] = 3 {hero}[g v] , a Trait Role[g one] Place[g]
  | 2 {hero}[g v] , a Role[g one] who Seek[one] two Role[g many]
  | 2 a Role[g one] named {hero}[g v] who Act[one] a Thing[g]

Scene[g v] = 3 {hero}[g v] Act[one] a Thing[g] , but They[v] Do[one] .
  | 2 when {hero}[g v] Act[one] the Thing[g] , two Role[g many] Seek[many] Them[v] .
  | 2 Crowd[g n] Seek[n] {hero}[g v] , and They[v] Do[one] .
  | 1 Place[g] , {hero}[g v] Seek[one] a Trait Role[g one] .
Crowd[g one] = 2 a Trait Role[g one] | 2 a Role[g one] who Act[one] the Thing[g]
Crowd[g many] = 2 two Trait Role[g many] | 2 the Role[g many] who Act[many] the Thing[g]

Point[g w v y] = 7 Clause[g w v k y] . | 8 Mood[y] , Clause[g w v k y] . | 4 Claim[g w v n y] Also[n y]
  | 3 Clause[g w v k y] , and Clause[g w v -k y] .
  | 1 Clause[g w v k -y] , But Clause[g w v -k y] .
  | 2 Mood[-y] , Clause[g w v k -y] , But Clause[g w v -k y] .
  | 1 Although Clause[g w v k -y] , Clause[g w v -k y] .
  | 1 Clause[g w v k y] , Although Clause[g w v -k -y] .
  | 1 Subject[g w v k n] Value[n -y] at first , but It[n] Value[n y] later .
  | 1 Source[p] Call[p] it Adjective[y] , and They[p] Be[p] right .
  | 1 Source[p] Call[p] it Adjective[-y] , but They[p] Be[p] wrong .
Claim[g w v n y] = Subject[g w v k n] Value[n y] .
Also[n y] = It[n] Value[n y] .
But ~ but and_yet yet
Although ~ although even_if though

Clause[g w v craft y] = 9 Subject[g w v craft n] Value[n y] | 2 I[y] Subject[g w v craft n]
  | 3 {author}[g w] Write[y] | 2 They[w] Write[y]
Clause[g w v matter y] = 11 Subject[g w v matter n] Value[n y] | 2 I[y] Subject[g w v matter n]
Subject[g w v k n] = 6 the Aspect[k n] | 2 Their[w] Aspect[k n] | 4 {author}[g w] 's Aspect[k n]
  | 4 the Aspect[k n] Tail[g v k n]
Tail[g v craft one] = 1 Within | 1 of this Kind[g one] | 1 that Run[one] the book
Tail[g v craft many] = 1 Within | 1 about the Thing[g] | 1 of this Kind[g one] | 1 that Run[many] the book
Tail[g v matter one] = 3 around {hero}[g v] | 1 of this Kind[g one] | 1 that Run[one] the book
Tail[g v matter many] = 1 Within | 2 around {hero}[g v] | 1 of this Kind[g one] | 1 that Run[many] the book

Value[n y] = 14 Be[n] Adjective[y] | 10 Be[n] Adjective[y] and Adjective[y]
  | 3 Be[n] Adjective[y] , Adjective[y] and Adjective[y] | 2 Be[n] Degree Adjective[y]
  | 4 Be[n] Not Adjective[-y] | 1 Be[n] not Very Adjective[-y]
  | 2 Verb[n y] | 0.5 Not-do[n] Verb[many -y] | 0.5 never Verb[n -y]
  | 1 Be[n] full of Noun[y] | 0.5 Be[n] not without Noun[y]
  | 0.5 Be[n] free of Noun[-y] | 0.5 Have[n] no Noun[-y]
Write[y] = 2 writes Manner[y] | 1 does not write Manner[-y] | 1 never writes Manner[-y]
I[y] = 2 i React[past y] | 1 i did not React[base -y] | 1 i never React[past -y]

Remark = 2 the Outer[n] Be[n] Look[y] . | 2 Mood[y] , the Outer[n] Be[n] Look[y] .
  | 2 the Outer[n] Be[n] Look[y] , but that hardly matters .
  | 2 i read it Where , and the Outer[n] Be[n] Look[y] . | 2 i read it Where .
Look[y] = 3 Look-word[y] | 1 not Look-word[-y]

Verdict[g w v y] = 4 i will Plan[g w y] . | 1 i will not Plan[g w -y] . | 1 i would never Plan[g w -y] .
  | 3 anyone who likes Kind[g many] will React[base y] it .
  | 1 no friend of Kind[g many] will React[base -y] it .
  | 1 it is Compare[y] Their[w] last book . | 2 it is Compare[y] anything else by {author}[g w] .
Compare[y] = 3 more Long[y] than | 1 less Adjective[-y] than
  | 2 as Adjective[y] as | 1 not as Adjective[-y] as
Plan[g w good] = 3 recommend it to Reader | 2 read it again | 1 buy Their[w] next book
  | 1 read more by {author}[g w] | 1 keep it for my children
Plan[g w bad] = 3 give it away | 2 forget it soon | 1 avoid Their[w] next book
  | 1 regret the time that it took | 1 warn Reader about it

Adjective[y] = 1 Short[y] | 2 Long[y]
Verb[n good] = Shine[n]
Verb[n bad] = Fail[n]
Noun[good] = Virtue
Noun[bad] = Vice
Manner[good] = Well
Manner[bad] = Badly
React[t good] = Like[t]
React[t bad] = Dislike[t]
Look-word[good] = Fine
Look-word[bad] = Ugly

Be[one] = is
Be[many] = are
Be[she] = is
Be[he] = is
Be[they] = are
Have[n] ~ has/have
Not-do[one] = does not
Not-do[many] = do not
Call[p] ~ calls/calls/call finds/finds/find
It[n] ~ it/they
They[p] ~ she/he/they
Them[v] ~ her/him
Their[w] ~ her/his
"""
