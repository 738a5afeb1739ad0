"""The claims of the thesis (LLM paraphrases as positives, 2023), `config/studies/thesis/claims.csv`.

Differences are positive where they are as claimed.  Thresholds are those of `how_to_check` there.
"""

from itertools import product

import numpy as np

from contrapose.report.claims.cell_arrays import PEAK, Cells, Tables
from contrapose.report.claims.verdict import Verdict, all_of, mean_of, one_of, trend, verdict, within
from contrapose.report.scores import AVERAGE

SIMCSE = {  # encoder: the published model on it
    "bert-base-uncased": "SimCSE-BERT-base",
    "roberta-base": "SimCSE-RoBERTa-base",
    "roberta-large": "SimCSE-RoBERTa-large",
}
BERT, ROBERTA, LARGE = SIMCSE
# Rows of tables 4.1 and 4.3.
REFERENCE = "Unsupervised SimCSE reference: "
CHATGPT, VICUNA, MILLION = "ChatGPT paraphrases: ", "Vicuna paraphrases: ", "1M paraphrases: "
# Rows of table 4.8.
BASE, PUBLISHED, OURS = "Base pre-trained encoders: ", "Unsupervised SimCSE: ", "Ours with paraphrases: "


def _gain(table: Cells, group: str, encoder: str, column: str = AVERAGE) -> np.ndarray:
    return table(group + encoder, column) - table(REFERENCE + SIMCSE[encoder], column)


def thesis_01_method_1_samples_best(tables: Tables) -> Verdict:
    """Compare the means over three draws; a note gives the spread of method 1's draws."""
    table = tables["table3_1"]
    draws = {m: [table(f"Method {m}-{draw}", AVERAGE) for draw in (1, 2, 3)] for m in (1, 2, 3)}
    means = {method: np.mean(values, axis=0) for method, values in draws.items()}
    spread = sorted(mean_of(value) for value in draws[1])
    parts = {f"above method {other}": means[1] - means[other] for other in (2, 3)}
    return verdict(parts, note=f"Only draws of method 1: {spread[0]:.2f} to {spread[-1]:.2f}")


def thesis_02_method_1_reaches_published_simcse(tables: Tables) -> Verdict:
    """One draw is enough: the best of three, on average over seeds."""
    table = tables["table3_1"]
    simcse = table("Unsupervised SimCSE-BERT-base", AVERAGE)
    parts = {f"draw {draw}": table(f"Method 1-{draw}", AVERAGE) - simcse for draw in (1, 2, 3)}
    best = one_of(*parts.values())
    return verdict(parts, best, holds=mean_of(best.difference) > 0)


def thesis_03_prompt_2_beats_prompt_1(tables: Tables) -> Verdict:
    """BLEU falls by more than similarity does, so the total rises."""
    table = tables["table3_2"]
    first, second = "ChatGPT: Prompt 1", "ChatGPT: Prompt 2"
    bleu, similarity = (table(first, column) - table(second, column) for column in ("BLEU", "Sim"))
    total = table(second, "Total") - table(first, "Total")
    parts = {"BLEU lower": bleu, "Sim lower": similarity, "BLEU falls more": bleu - similarity}
    return verdict({**parts, "Total higher": total}, total)


def thesis_04_prompts_1_and_3_are_alike(tables: Tables) -> Verdict:
    """The main difference is the tolerance minus their actual difference."""
    table = tables["table3_2"]
    first, third = "ChatGPT: Prompt 1", "ChatGPT: Prompt 3"
    similarity, bleu = (table(first, column) - table(third, column) for column in ("Sim", "BLEU"))
    parts = {"Sim, of 0.005": within(similarity, 0.005), "BLEU, of 0.05": within(bleu, 0.05)}
    return verdict(parts, all_of(*parts.values()))


def thesis_05_graded_prompts_show_no_gradient(tables: Tables) -> Verdict:
    """Place in the answer and similarity: their rank correlation is not below -0.9."""
    table = tables["table3_2"]
    parts = {}
    for prompt in (4, 5):
        similarity = [table(f"ChatGPT: Prompt {prompt}", f"Sim {place}") for place in range(1, 6)]
        # With five places the correlation goes in steps of 0.1: not below -0.9 is above -0.95.
        parts[f"prompt {prompt} above -0.95"] = trend(similarity) + 0.95
    return verdict(parts, all_of(*parts.values()))


def thesis_06_graded_prompts_trade_similarity_for_total(tables: Tables) -> Verdict:
    """Prompts 4 and 5 against prompt 2; the main difference is between the totals."""
    table = tables["table3_2"]
    second, parts = "ChatGPT: Prompt 2", {}
    for prompt in (4, 5):
        graded = f"ChatGPT: Prompt {prompt}"
        parts[f"Total of {prompt} higher"] = table(graded, "Total") - table(second, "Total")
        parts[f"Sim of {prompt} lower"] = table(second, "Sim") - table(graded, "Sim")
    totals = [part for name, part in parts.items() if name.startswith("Total")]
    return verdict(parts, np.mean(totals, axis=0))


def thesis_07_vicuna_stays_closer(tables: Tables) -> Verdict:
    """Vicuna with prompt 1 against ChatGPT with prompt 2, and with prompt 1."""
    vicuna, chatgpt, parts = tables["table3_3"], tables["table3_2"], {}
    for prompt, column in product((2, 1), ("Sim", "BLEU")):
        theirs = chatgpt(f"ChatGPT: Prompt {prompt}", column)
        parts[f"{column} above prompt {prompt}"] = vicuna("Vicuna: Prompt 1", column) - theirs
    return verdict(parts)


def thesis_08_paraphrases_beat_simcse_with_roberta(tables: Tables) -> Verdict:
    """Averages at 150k sentences."""
    return verdict({encoder: _gain(tables["table4_1"], CHATGPT, encoder) for encoder in (ROBERTA, LARGE)})


def thesis_09_paraphrases_are_below_simcse_with_bert(tables: Tables) -> Verdict:
    """Averages of ChatGPT's and Vicuna's 150k and of the 1M sentences."""
    small, large = tables["table4_1"], tables["table4_3"]
    pairs = {"ChatGPT": (small, CHATGPT), "Vicuna": (small, VICUNA), "1M": (large, MILLION)}
    return verdict({name: -_gain(table, group, BERT) for name, (table, group) in pairs.items()})


def thesis_10_sickr_rises_by_about_six(tables: Tables) -> Verdict:
    """About 6 points: 4.5 to 7."""
    table = tables["table4_1"]
    parts = {encoder: _gain(table, CHATGPT, encoder, "SICK-R") for encoder in (ROBERTA, LARGE)}
    return verdict(parts, holds=all(4.5 <= mean_of(part) <= 7 for part in parts.values()))


def thesis_11_sickr_gain_remains_at_1m(tables: Tables) -> Verdict:
    """More than 4 points."""
    table = tables["table4_3"]
    parts = {encoder: _gain(table, MILLION, encoder, "SICK-R") for encoder in (ROBERTA, LARGE)}
    return verdict(parts, holds=all(mean_of(part) > 4 for part in parts.values()))


def thesis_12_chatgpt_beats_vicuna(tables: Tables) -> Verdict:
    """Averages at 150k sentences."""
    above = tables["table4_1"].above
    return verdict({e: above(CHATGPT + e, VICUNA + e, AVERAGE) for e in (BERT, ROBERTA)})


def thesis_13_chatgpt_beats_vicuna_on_every_set(tables: Tables) -> Verdict:
    """With roberta-base, on each test set."""
    return verdict(tables["table4_1"].gains(CHATGPT + ROBERTA, VICUNA + ROBERTA))


def thesis_14_vicuna_beats_simcse_somewhere(tables: Tables) -> Verdict:
    """With BERT; one test set is enough."""
    parts = tables["table4_1"].gains(VICUNA + BERT, REFERENCE + SIMCSE[BERT])
    best = one_of(*parts.values())
    return verdict(parts, best, holds=mean_of(best.difference) > 0)


def thesis_15_only_large_beats_simcse_at_1m(tables: Tables) -> Verdict:
    """The main difference is between roberta-large's gain and the larger of the other two gains."""
    parts = {encoder: _gain(tables["table4_3"], MILLION, encoder) for encoder in SIMCSE}
    others = (BERT, ROBERTA)
    holds = mean_of(parts[LARGE]) > 0 and all(mean_of(parts[e]) <= 0 for e in others)
    return verdict(parts, all_of(*(parts[LARGE] - parts[e] for e in others)), holds)


def thesis_16_more_data_does_not_help(tables: Tables) -> Verdict:
    """150k sentences above 1M, for every encoder."""
    small, large = tables["table4_1"], tables["table4_3"]
    return verdict({e: small(CHATGPT + e, AVERAGE) - large(MILLION + e, AVERAGE) for e in SIMCSE})


def thesis_17_dev_score_peaks_early_at_1m(tables: Tables) -> Verdict:
    """Early: in the first quarter of the steps."""
    table = tables["table4_3"]
    return verdict({f"{e}, before 0.25": 0.25 - table(MILLION + e, PEAK) for e in SIMCSE})


def thesis_18_difference_grows_with_the_encoder(tables: Tables) -> Verdict:
    """The main difference is between the largest and the smallest encoder's gain."""
    gains = {encoder: _gain(tables["table4_3"], MILLION, encoder) for encoder in SIMCSE}
    rising = mean_of(gains[BERT]) < mean_of(gains[ROBERTA]) < mean_of(gains[LARGE])
    return verdict(gains, gains[LARGE] - gains[BERT], rising)


def thesis_19_sampled_sentences_are_longer(tables: Tables) -> Verdict:
    """Words per sentence: above SimCSE's corpus, and above the longest subset of the evaluation sets."""
    column = "words_per_sentence"
    rows = ("Our original sentence dataset", "Unsupervised SimCSE sentence dataset")
    ours, simcse = (tables["table4_5"](row, column) for row in rows)
    subsets = tables["table4_6"].whole_column(column)  # any of them may be the longest
    subset, longest = max(subsets.items(), key=lambda item: mean_of(item[1]))
    parts = {"above SimCSE's": ours - simcse, f"above {subset}": ours - longest}
    return verdict(parts, all_of(ours - simcse, *(ours - words for words in subsets.values())))


def thesis_20_sickr_scores_are_higher(tables: Tables) -> Verdict:
    """Mean gold score in [0, 1]."""
    table, column = tables["table4_7"], "mean_score_normalised"
    return verdict({"SICK-R above STS-B": table("SICK-R", column) - table("STS-B", column)})


def thesis_21_alignment_falls_and_uniformity_rises(tables: Tables) -> Verdict:
    """The thesis's models against SimCSE; both must hold."""
    table, parts = tables["table4_8"], {}
    for encoder, simcse in SIMCSE.items():
        ours, theirs = OURS + encoder, PUBLISHED + simcse
        parts[f"alignment lower, {encoder}"] = table(theirs, "alignment") - table(ours, "alignment")
        parts[f"uniformity higher, {encoder}"] = table(ours, "uniformity") - table(theirs, "uniformity")
    of_measure = {
        measure: np.mean([part for name, part in parts.items() if name.startswith(measure)], axis=0)
        for measure in ("alignment", "uniformity")
    }
    return verdict(parts, all_of(*of_measure.values()))


def thesis_22_training_improves_uniformity(tables: Tables) -> Verdict:
    """Greatly: by more than 1, from base encoders whose alignment is lower."""
    table = tables["table4_8"]
    uniformity = {e: table(BASE + e, "uniformity") - table(OURS + e, "uniformity") for e in SIMCSE}
    alignment = {e: table(OURS + e, "alignment") - table(BASE + e, "alignment") for e in SIMCSE}
    holds = all(mean_of(part) > 1 for part in uniformity.values())
    holds = holds and all(mean_of(part) > 0 for part in alignment.values())
    parts = {f"uniformity lower, {e}": part for e, part in uniformity.items()}
    parts |= {f"alignment of base lower, {e}": part for e, part in alignment.items()}
    return verdict(parts, np.mean(list(uniformity.values()), axis=0), holds)


def thesis_23_alignment_and_uniformity_do_not_decide(tables: Tables) -> Verdict:
    """SimCSE on BERT has neither worse than on RoBERTa, yet a lower average; all three must hold."""
    geometry, scores = tables["table4_8"], tables["table4_1"]
    bert, roberta = SIMCSE[BERT], SIMCSE[ROBERTA]
    parts = {
        f"{name} lower with BERT": geometry(PUBLISHED + roberta, name) - geometry(PUBLISHED + bert, name)
        for name in ("alignment", "uniformity")
    }
    average = scores(REFERENCE + roberta, AVERAGE) - scores(REFERENCE + bert, AVERAGE)
    parts["Avg. higher with RoBERTa"] = average
    return verdict(parts, all_of(*parts.values()))
