// The trained reader of lesson 01, whose weights `reader.for_a_page` gives: a word's vector has C numbers.
import {dot, softmax, sum} from "../figures/live.js";

// The Taylor series at 0, and a continued fraction of erfc far from there: both to a double's last digits.
export function erf(x) {
    const size = Math.abs(x);
    if (size < 2.5) {
        let [term, total] = [x, x];
        for (let n = 1; Math.abs(term) > 1e-17; n++) total += (term *= -x * x / n) / (2 * n + 1);
        return total * 2 / Math.sqrt(Math.PI);
    }
    let fraction = size;
    for (let n = 60; n; n--) fraction = size + n / 2 / fraction;
    return Math.sign(x) * (1 - Math.exp(-x * x) / fraction / Math.sqrt(Math.PI));
}

const gelu = x => 0.5 * x * (1 + erf(x / Math.SQRT2));
const added = (a, b) => a.map((each, place) => each + b[place]);
const linear = (x, {weight, bias}) => weight.map((row, place) => dot(row, x) + bias[place]);

function normed(x, {weight, bias}) {
    const mean = sum(x) / x.length, variance = sum(x.map(each => (each - mean) ** 2)) / x.length;
    return x.map((each, place) => (each - mean) / Math.sqrt(variance + 1e-5) * weight[place] + bias[place]);
}

// Kept numbers in base64: little-endian float32, or int8 with one scale for each row.
function opened({bytes, columns, scales}) {
    const buffer = Uint8Array.from(atob(bytes), each => each.charCodeAt(0)).buffer;
    if (!columns) return Array.from(new Float32Array(buffer));
    const whole = new Int8Array(buffer);
    const row = (scale, number) => Array.from(whole.subarray(number * columns, (number + 1) * columns), each => each * scale);
    return opened({bytes: scales}).map(row);
}

// What `read` needs, of the weights as they are kept.
export function unpacked({vocabulary, heads, weights}) {
    const layer = name => ({weight: opened(weights[`${name}weight`]), bias: opened(weights[`${name}bias`])});
    return {
        vocabulary, heads, numbers: new Map(vocabulary.map((word, number) => [word, number])),
        words: opened(weights["words.weight"]), positions: opened(weights["positions.weight"]),
        projections: layer("layer.self_attn.in_proj_"), out: layer("layer.self_attn.out_proj."),
        first: layer("layer.linear1."), second: layer("layer.linear2."),
        norms: ["layer.norm1.", "layer.norm2.", "norm."].map(layer),
    };
}

// What it remembers of the words that it has read: none yet. Of each head the keys, the values and the weights.
const nothing = model => ({count: 0, heads: Array.from({length: model.heads}, () => ({keys: [], values: [], weights: []}))});

function meet(model, id, seen) {
    const width = model.words[0].length, size = width / model.heads, scale = Math.sqrt(width);
    seen.last = model.words[id].map((each, place) => each * scale + model.positions[seen.count][place]);
    const projected = linear(normed(seen.last, model.norms[0]), model.projections);
    seen.heads.forEach(({keys, values, weights}, head) => {
        const [query, key, value] = [0, 1, 2].map(part => projected.slice(part * width + head * size).slice(0, size));
        keys.push(key);
        values.push(value);
        weights.push(softmax(keys.map(each => dot(query, each) / Math.sqrt(size))));
    });
    seen.count++;
}

// Scores for the next word after the last of some words, given by their numbers; and each head's weights, a row for
// each word, up to itself. A head whose number in `keep` is 0 is off. With what was `seen` of the first of the words,
// only the others are read: its one layer looks at vectors that no other word has changed.
export function read(model, ids, keep = Array(model.heads).fill(1), seen = nothing(model)) {
    for (const id of ids.slice(seen.count)) meet(model, id, seen);
    const mixed = seen.heads.flatMap(({values, weights}, head) => values[0].map(
        (_, place) => keep[head] * sum(weights.at(-1).map((each, k) => each * values[k][place]))));
    const met = added(seen.last, linear(mixed, model.out));
    const inner = linear(normed(met, model.norms[1]), model.first).map(gelu);
    const last = normed(added(met, linear(inner, model.second)), model.norms[2]);
    return {scores: model.words.map(word => dot(word, last)), weights: seen.heads.map(({weights}) => weights), seen};
}

// The words of a text that it knows, after a <bos>, and those that it doesn't; as `Reader.known`.
export function known(model, text) {
    const pieces = text.toLowerCase().match(/'s(?![\p{L}\p{N}_])|[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*|[.,]/gu) ?? [];
    const words = ["<bos>", ...pieces.filter(word => model.numbers.has(word))];
    return [words, [...new Set(pieces.filter(word => !model.numbers.has(word)))]];
}

export const numbersOf = (model, words) => words.map(word => model.numbers.get(word));

// Probabilities of scores at a temperature, 0 for the largest alone; then of the k largest, then of the fewest that
// have p together.
export function chances(scores, temperature, k = Infinity, p = 1) {
    const order = scores.map((_, number) => number).sort((a, b) => scores[b] - scores[a]);
    const found = temperature ? softmax(scores.map(score => score / temperature)) : scores.map((_, n) => Number(n === order[0]));
    const among = sum(order.slice(0, k).map(number => found[number]));
    let total = 0;
    const kept = new Set(order.slice(0, k).filter(number => {
        const before = total;
        total += found[number] / among;
        return p >= 1 || before < p;
    }));
    const all = sum([...kept].map(number => found[number]));
    return found.map((each, number) => kept.has(number) ? each / all : 0);
}

// The number that a uniform one, from 0 to 1, draws from probabilities.
export function drawn(probabilities, uniform) {
    let total = 0;
    const found = probabilities.findIndex(each => (total += each) > uniform);
    return found < 0 ? probabilities.findLastIndex(each => each > 0) : found;
}

// Words as a book would print them.
export function printed(words) {
    const text = words.join(" ").replace(/ ('s|[.,])/g, "$1");
    return text.replace(/(^|\. )(\w)|\bi\b/g, found => found.toUpperCase());
}

// A text's next words, up to its end or `most` of them, one in each frame: `show` gets those so far, and whether
// there will be more. Returns what stops it.
export function writing(model, words, chosen, most, show, random = Math.random) {
    const text = [...words], end = Math.min(words.length + most, model.positions.length);
    let seen, frame;
    const step = () => {
        const found = read(model, numbersOf(model, text), undefined, seen);
        const word = text.length < end ? model.vocabulary[drawn(chosen(found.scores), random())] : "…";
        const ends = word === "<eos>" || word === "…";
        seen = found.seen;
        if (word !== "<eos>") text.push(word);
        show(text.slice(words.length), !ends);
        if (!ends) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
}

// The most likely of the words, as [word, probability].
export function likeliest(model, probabilities, count) {
    const order = probabilities.map((_, number) => number).sort((a, b) => probabilities[b] - probabilities[a]);
    return order.slice(0, count).map(number => [model.vocabulary[number], probabilities[number]]);
}
