// A decoder-only Transformer, one token at a time: what lesson 06's model computes in torch.

export class Decoder {
    // sizes: V vocabulary, C channels, H heads, L blocks, F hidden channels, P positions; eps, scale.
    // numbers: a Float32Array of all weights, in the order in which they are taken below.
    constructor(sizes, numbers) {
        const {V, C, L, F, P} = this.sizes = sizes;
        let taken = 0;
        const take = count => numbers.subarray(taken, taken += count);
        const linear = (read, write) => ({weight: take(read * write), bias: take(write)});
        const norm = () => ({weight: take(C), bias: take(C)});
        this.words = take(V * C);
        this.positions = take(P * C);
        this.blocks = Array.from({length: L}, () => ({
            norm1: norm(), qkv: linear(C, 3 * C), out: linear(C, C),
            norm2: norm(), up: linear(C, F), down: linear(F, C),
        }));
        this.norm = norm();
        this.read = [];  // of each token so far: its number, keys, values, attention and logits
    }

    // Reads tokens; those that begin like the last ones aren't computed again. Returns the last one's logits.
    logits(ids) {
        let same = 0;
        while (same < ids.length && this.read[same]?.id === ids[same]) same++;
        this.read.length = same;
        for (const id of ids.slice(same)) this.step(id);
        return this.read.at(-1).logits;
    }

    // Weights of the token at t: attention(t)[block][head][earlier position].
    attention(t) { return this.read[t].weights; }

    step(id) {
        const {V, C, eps, scale} = this.sizes, t = this.read.length;
        const now = {id, keys: [], values: [], weights: []};
        this.read.push(now);
        let x = Float64Array.from({length: C}, (_, c) => scale * this.words[id * C + c] + this.positions[t * C + c]);
        this.blocks.forEach((block, layer) => {
            x = add(x, apply(block.out, this.attend(apply(block.qkv, normalise(x, block.norm1, eps)), layer)));
            x = add(x, apply(block.down, apply(block.up, normalise(x, block.norm2, eps)).map(gelu)));
        });
        now.logits = apply({weight: this.words, bias: new Float32Array(V)}, normalise(x, this.norm, eps));
    }

    attend(qkv, layer) {
        const {C, H} = this.sizes, D = C / H, now = this.read.at(-1), mixed = new Float64Array(C);
        now.keys.push(qkv.subarray(C, 2 * C));
        now.values.push(qkv.subarray(2 * C));
        now.weights.push(Array.from({length: H}, (_, head) => {
            const scores = this.read.map(({keys}) => {
                let sum = 0;
                for (let c = head * D; c < (head + 1) * D; c++) sum += qkv[c] * keys[layer][c];
                return sum / Math.sqrt(D);
            });
            const weights = softmax(scores);
            this.read.forEach(({values}, t) => {
                for (let c = head * D; c < (head + 1) * D; c++) mixed[c] += weights[t] * values[layer][c];
            });
            return weights;
        }));
        return mixed;
    }
}

export function softmax(scores) {
    const highest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const powers = scores.map(score => Math.exp(score - highest));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map(power => power / sum);
}

function apply({weight, bias}, x) {
    return Float64Array.from(bias, (sum, row) => {
        const start = row * x.length;
        for (let c = 0; c < x.length; c++) sum += weight[start + c] * x[c];
        return sum;
    });
}

const add = (x, y) => x.map((value, c) => value + y[c]);

function normalise(x, {weight, bias}, eps) {
    const mean = x.reduce((a, b) => a + b, 0) / x.length;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
    return x.map((value, c) => (value - mean) / Math.sqrt(variance + eps) * weight[c] + bias[c]);
}

// x·Φ(x), where Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + ...)
function gelu(x) {
    if (Math.abs(x) > 6) return x > 0 ? x : 0;  // what is left out is below 1e-8
    let term = x, sum = x;
    for (let n = 3; Math.abs(term) > 1e-12 * Math.abs(sum); n += 2) sum += term *= x * x / n;
    return x * (0.5 + sum * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI));
}
