"""Four runs."""

from headstart import Entry

FINE, LEAK = "all is well", "an answer leaks into the input"
FITTED, STILL = "it has learned its few texts by heart", "nothing is learned"
CURVES = [FINE, LEAK, FITTED, STILL]
A, B, C, D = (f"run {letter}" for letter in "ABCD")


exercise = Entry(
    id="pretraining.diagnosis",
    title="Four runs",
    points=2,
    difficulty=2,
    minutes=6,
    reference={A: LEAK, B: FITTED, C: FINE, D: STILL},
    options={A: CURVES, B: CURVES, C: CURVES, D: CURVES},
)


exercise.choice("run_A_all_is_well", {A: FINE}).says(
    "Run A is far below the entropy on texts it has never seen, and nobody can be."
)
exercise.choice("run_A_it_has_learned_its_few_texts_by_heart", {A: FITTED}).says(
    "Run A is as good on texts it has never seen, which it can't know by heart."
)
exercise.choice("run_A_nothing_is_learned", {A: STILL}).says(
    "Run A changes its loss from 6.8 to 0.2, so something is learned."
)
exercise.choice("run_B_all_is_well", {B: FINE}).says(
    "Run B gets worse and worse on new texts while its training loss falls."
)
exercise.choice("run_B_an_answer_leaks_into_the_input", {B: LEAK}).says(
    "Run B would be below the entropy on new texts too if the answer leaked."
)
exercise.choice("run_B_nothing_is_learned", {B: STILL}).says(
    "Run B learns a lot, but about the texts it trains on and no others."
)
exercise.choice("run_C_an_answer_leaks_into_the_input", {C: LEAK}).says(
    "Run C stays above the entropy, as any model must that doesn't see the answer."
)
exercise.choice("run_C_it_has_learned_its_few_texts_by_heart", {C: FITTED}).says(
    "Run C has the same loss on new texts as in training, so it learned what all texts share."
)
exercise.choice("run_C_nothing_is_learned", {C: STILL}).says(
    "Run C comes from 6.8 to near the entropy, which is most of what can be learned."
)
exercise.choice("run_D_all_is_well", {D: FINE}).says(
    "Run D stays at log V, the loss of a model to which all words are equally likely."
)
exercise.choice("run_D_an_answer_leaks_into_the_input", {D: LEAK}).says(
    "Run D has a loss of log V: if it saw the answer, it would go to zero."
)
exercise.choice("run_D_it_has_learned_its_few_texts_by_heart", {D: FITTED}).says(
    "Run D's training loss doesn't fall, so it knows no text by heart."
)
