// Alignment in translation: where a decoder looks in the source while it writes, word by word.
import {explorer, following, heat, sum} from "../figures/live.js";

// The mean of some heads' weights (T_t, T_s), and the place that each written word looks at most, among the first
// `count`: those of the sentence, without what ends it.
export function aligned(heads, count) {
    const mean = heads[0].map((row, t) => row.map((_, s) => sum(heads.map(head => head[t][s])) / heads.length));
    return [mean, mean.map(row => row.indexOf(Math.max(...row.slice(0, count))))];
}

// truth: of each written word, the place of the word that it translates, or null.
function view({source, written, heads, truth, shown}) {
    const [mean, places] = aligned(heads, source.length), known = (truth ?? []).slice(0, shown);
    const right = known.filter((place, t) => place === places[t]).length;
    const stops = written.length === 1 ? "The model stops before its first word. " : "";
    const said = `${stops}“${written[shown - 1]}” looks most at “${source[places[shown - 1]]}”.`;
    const told = known.length ? ` ${right} of ${known.length} words so far look most at the word that they translate, which is framed.` : "";
    const rows = written.slice(0, shown).map((word, t) => `${t + 1} ${word}`);
    return [said + told, heat("Cross-attention: each written word looks at the source", [...source, "<eos>"], rows, mean.slice(0, shown), {corner: "looks at →", framed: known})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {sentences, first} = model.get("data"), most = Math.max(...sentences.map(({heads}) => heads.length));
        const controls = {
            sentence: {label: "sentence", value: 0, options: sentences.map(({source}) => source.join(" "))},
            shown: {label: "words written", value: first, min: 1, max: sentences[0].written.length},
            head: {label: "heads", value: 0, options: ["mean of all heads", ...Array.from({length: most}, (_, head) => `head ${head} alone`)]},
        };
        explorer(el, controls, ({sentence, head}, inputs) => {
            const now = sentences[sentence];
            inputs.shown.max = now.written.length;
            const heads = head > 0 ? [now.heads[head - 1]] : now.heads;
            return view({...now, heads, shown: Number(inputs.shown.value)});
        });
    },
};
