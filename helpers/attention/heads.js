// The trained reader's two heads: a map for each, which can be switched off.
import {bars, explorer, following, heat, percent} from "../figures/live.js";
import {chances, known, likeliest, numbersOf, read, unpacked} from "./model.js";

// What the last word looks at, and what may come next.
function view({words, looks, following}) {
    const names = Object.keys(following), chances = Object.values(following);
    return [`After “${words.at(-1)}”: ${names[0]}, ${percent(chances[0])}.`,
        bars(`From “${words.at(-1)}” your heads look at`, words, looks), bars("The next word", names, {probability: chances}, {text: percent})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {reader, sentence, longest} = model.get("data"), kept = unpacked(reader);
        const controls = {
            sentence: {label: "sentence", value: sentence},
            head0: {label: "head 0", value: true}, head1: {label: "head 1", value: true},
        };
        explorer(el, controls, ({sentence, head0, head1}) => {
            const [all, unknown] = known(kept, sentence), words = all.slice(0, longest + 1), last = words.at(-1);
            const told = unknown.length ? ` It has never seen ${unknown.join(", ")}: such words are left out.` : "";
            if (words.length < 2) return [`Type a word that it knows: plot, jokes, simon, nora, luckily, ...${told}`];
            const ids = numbersOf(kept, words), on = [head0, head1].map(Number), whole = read(kept, ids), cut = read(kept, ids, on, whole.seen);
            const [before, after] = [whole, cut].map(({scores}) => chances(scores, 1));
            const names = likeliest(kept, before, 4).map(([word]) => word);
            const [[best]] = likeliest(kept, after, 1);
            if (!names.includes(best)) names.push(best);
            const both = Object.fromEntries([["both heads on", before], ["as switched", after]].map(
                ([name, found]) => [name, names.map(word => found[kept.numbers.get(word)])]));
            const maps = cut.weights.map((rows, head) => {
                const numbers = rows.map(row => words.map((_, place) => row[place] ?? null));
                return heat(`Head ${head}${on[head] ? "" : ", off"}`, words, words, numbers, {digits: 1, corner: "looks at →"});
            });
            const which = on.every(Boolean) ? "With both heads" : on.some(Boolean) ? `With head ${on.indexOf(1)} alone` : "Without heads";
            const said = `${which}, after “${last}”: ${best}, ${percent(after[kept.numbers.get(best)])}.${told}`;
            return [said, bars("The next word", names, both, {text: percent}), ...maps];
        });
    },
};
