// The trained reader: what its heads look at, what may come next, and what it writes.
import {bars, explorer, percent} from "../figures/live.js";
import {chances, known, likeliest, numbersOf, printed, read, unpacked, writing} from "./model.js";

export default {
    render({model, el}) {
        const {reader, sentence, longest} = model.get("data"), kept = unpacked(reader);
        const {length} = known(kept, sentence)[0];
        let [before, pressed, stop] = [sentence, 0, () => {}];
        const controls = {
            sentence: {label: "sentence", value: sentence},
            count: {label: "words read", value: length - 1, min: 1, max: length - 1},
            temperature: {label: "temperature", value: 1, min: 0.1, max: 2, step: 0.1, shown: each => each.toFixed(1)},
            write: {label: "write on", press: true},
        };
        explorer(el, controls, (values, inputs, say) => {
            stop();
            const [all, unknown] = known(kept, values.sentence);
            const told = unknown.length ? ` It has never seen ${unknown.join(", ")}: such words are left out.` : "";
            if (all.length < 2) return [`Type a word that it knows: plot, jokes, simon, nora, luckily, ...${told}`];
            inputs.count.max = Math.min(longest, all.length - 1);
            if (values.sentence !== before) inputs.count.value = inputs.count.max;
            const words = all.slice(0, Number(inputs.count.value) + 1), last = words.at(-1);
            const {scores, weights} = read(kept, numbersOf(kept, words));
            const following = likeliest(kept, chances(scores, values.temperature), 5);
            const chosen = each => chances(each, values.temperature);
            const cut = all.length > longest + 1 ? ` These are the first ${longest} words.` : "";
            const text = more => printed([...words.slice(1), ...more]), writes = values.write > pressed;
            if (writes) stop = writing(kept, words, chosen, 60, (more, going) => say(text(more) + cut + told, going));
            [before, pressed] = [values.sentence, values.write];
            const most = weights.map((rows, head) => {
                const row = rows.at(-1);
                return `head ${head} most at ${words[row.indexOf(Math.max(...row))]}`;
            });
            const said = `From “${last}” it looks with ${most.join(", ")}. Next: ${following[0][0]}, ${percent(following[0][1])}.`;
            const looks = Object.fromEntries(weights.map((rows, head) => [`head ${head}`, rows.at(-1)]));
            return [(writes ? text([]) : said) + cut + told, bars(`From “${last}” it looks at`, words, looks),
                bars("What may come next", following.map(([word]) => word), {probability: following.map(([, share]) => share)}, {text: percent})];
        });
    },
};
