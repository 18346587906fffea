// Scores to weights: a sentence, a temperature, a mask.
import {bars, dot, explorer, following, heat, offer, softmax, sum, times} from "../figures/live.js";

const MASKS = ["no mask", "causal: no later word", "hide one word"];

// The weights (T, T) of x (T, d), whose queries are x · looksFor / temperature. True in the mask means "may attend".
export function attend(x, looksFor, temperature, mask) {
    const queries = times(x, looksFor).map(row => row.map(each => each / temperature));
    return queries.map((query, row) => {
        const scores = x.map(key => dot(query, key) / Math.sqrt(query.length));
        return softmax(scores.map((score, column) => mask[row][column] ? score : -Infinity));
    });
}

// How widely a row of weights spreads, in bits.
export const entropy = weights => -sum(weights.map(each => each && each * Math.log2(each)));

function view({words, weights, bits, told = ""}) {
    const mean = sum(bits) / bits.length, numbered = words.map((word, number) => `${number} ${word}`);
    return [`A word spreads its weights over ${mean.toFixed(2)} bits on average.${told}`,
        heat("Attention weights: each row sums to 1", numbered, numbered, weights, {corner: "looks at →"}),
        bars("How widely each word looks", numbered, {"entropy, in bits": bits}, {most: Math.log2(words.length)})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {words, looksFor, sentence, longest} = model.get("data");
        const controls = {
            sentence: {label: "sentence", value: sentence},
            temperature: {label: "temperature", value: 0, min: -1, max: 1, step: 0.05, shown: power => (10 ** power).toFixed(2)},
            mask: {label: "mask", value: 0, options: MASKS},
            hidden: {label: "hidden word", value: 0, options: [""]},
        };
        explorer(el, controls, (values, inputs) => {
            const typed = values.sentence.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)?/gu) ?? [];
            const known = typed.filter(word => Object.hasOwn(words, word)).slice(0, longest);
            const unknown = [...new Set(typed.filter(word => !Object.hasOwn(words, word)))];
            const out = unknown.length ? ` Not in its list of words, and left out: ${unknown.join(", ")}.` : "";
            offer(inputs.hidden, known.map((word, number) => `${number}: ${word}`));
            inputs.hidden.parentElement.hidden = Number(values.mask) !== 2;
            if (known.length < 2) return [`Type a sentence of at least two words that it knows.${out}`];
            const allowed = [() => true, (i, j) => j <= i, (i, j) => j !== Number(inputs.hidden.value)][values.mask];
            const mask = known.map((_, i) => known.map((_, j) => allowed(i, j)));
            const found = attend(known.map(word => words[word]), looksFor, 10 ** values.temperature, mask);
            const shown = found.map((row, i) => row.map((each, j) => mask[i][j] ? each : null));
            return view({words: known, weights: shown, bits: found.map(entropy), told: out});
        });
    },
};
