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
const added = (a, b) => a.map((row, t) => row.map((each, place) => each + b[t][place]));
const linear = (x, {weight, bias}) => x.map(row => weight.map((each, place) => dot(each, row) + bias[place]));

function normed(x, {weight, bias}) {
    return x.map(row => {
        const mean = sum(row) / row.length, variance = sum(row.map(each => (each - mean) ** 2)) / row.length;
        return row.map((each, place) => (each - mean) / Math.sqrt(variance + 1e-5) * weight[place] + bias[place]);
    });
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

function attention(x, model, keep) {
    const width = x[0].length, size = width / model.heads, projected = linear(x, model.projections);
    const mixed = x.map(() => []), weights = [];
    for (let head = 0; head < model.heads; head++) {
        const part = number => projected.map(row => row.slice(number * width + head * size).slice(0, size));
        const [queries, keys, values] = [0, 1, 2].map(part);
        weights.push(queries.map((query, t) => softmax(keys.slice(0, t + 1).map(key => dot(query, key) / Math.sqrt(size)))));
        weights[head].forEach((row, t) => {
            for (let place = 0; place < size; place++) mixed[t].push(keep[head] * sum(row.map((each, k) => each * values[k][place])));
        });
    }
    return [linear(mixed, model.out), weights];
}

// Scores for the next word after the last of some words, given by their numbers; and each head's weights, a row for
// each word, up to itself. A head whose number in `keep` is 0 is off.
export function read(model, ids, keep = Array(model.heads).fill(1)) {
    const scale = Math.sqrt(model.words[0].length);
    const begun = ids.map((id, t) => model.words[id].map((each, place) => each * scale + model.positions[t][place]));
    const [looked, weights] = attention(normed(begun, model.norms[0]), model, keep);
    const met = added(begun, looked);
    const inner = linear(normed(met, model.norms[1]), model.first).map(row => row.map(gelu));
    const ended = added(met, linear(inner, model.second));
    const [last] = normed([ended.at(-1)], model.norms[2]);
    return {scores: model.words.map(word => dot(word, last)), weights};
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

// A text's next words, up to its end or `most` of them.
export function written(model, words, chosen, most, random = Math.random) {
    const text = [...words];
    while (text.length < words.length + most && text.length < model.positions.length) {
        const word = model.vocabulary[drawn(chosen(read(model, numbersOf(model, text)).scores), random())];
        if (word === "<eos>") return text.slice(words.length);
        text.push(word);
    }
    return [...text.slice(words.length), "…"];
}

// The most likely of the words, as [word, probability].
export function likeliest(model, probabilities, count) {
    const order = probabilities.map((_, number) => number).sort((a, b) => probabilities[b] - probabilities[a]);
    return order.slice(0, count).map(number => [model.vocabulary[number], probabilities[number]]);
}
