// The trained reader as a language model: the next word's probabilities under a rule, to draw from or to touch.
import {bars, explorer, make, percent} from "../figures/live.js";
import {chances, known, likeliest, numbersOf, printed, read, unpacked, writing} from "./model.js";

export default {
    render({model, el}) {
        const {reader, beginning} = model.get("data"), kept = unpacked(reader), all = kept.vocabulary.length;
        const share = each => each.toFixed(2);
        const touch = make("div", {role: "group", "aria-label": "choose the next word"});
        let [pressed, stop] = [0, () => {}];
        const controls = {
            text: {label: "beginning", value: beginning},
            temperature: {label: "temperature", value: 0.7, min: 0, max: 2, step: 0.1, shown: each => each.toFixed(1)},
            k: {label: "top-k", value: 30, min: 1, max: 30, shown: each => each === 30 ? "all" : String(each)},
            p: {label: "top-p", value: 1, min: 0.05, max: 1, step: 0.05, shown: share},
            write: {label: "write on", press: true},
            touch: {element: touch},
        };
        const draw = explorer(el, controls, (values, inputs, say) => {
            stop();
            const [words, unknown] = known(kept, values.text);
            const room = words.length < kept.positions.length;
            const rule = scores => chances(scores, values.temperature, values.k === 30 ? all : values.k, values.p);
            const told = unknown.length ? ` It has never seen ${unknown.join(", ")}: such words are left out.` : "";
            if (!room) return [`It reads ${words.length - 1} words at most.${told}`];
            const {scores} = read(kept, numbersOf(kept, words));
            const after = rule(scores), top = likeliest(kept, chances(scores, 1), 8);
            const names = top.map(([word]) => word), left = after.filter(each => each > 0).length;
            const add = word => () => {
                inputs.text.value = `${inputs.text.value.trimEnd()} ${word}`.trimStart();
                draw();
                touch.firstChild?.focus();
            };
            touch.replaceChildren(...names.filter(word => word !== "<eos>").map(word => {
                const button = make("button", {type: "button", style: "margin: 2px"}, word);
                button.addEventListener("click", add(word));
                return button;
            }));
            const text = more => printed([...words.slice(1), ...more]), writes = values.write > pressed;
            if (writes) stop = writing(kept, words, rule, 60, (more, going) => say(text(more), going));
            pressed = values.write;
            const said = writes ? text([]) : `${left} of ${all} words can be drawn.${told}`;
            const series = {"of the model": top.map(([, each]) => each), "under your rule": names.map(word => after[kept.numbers.get(word)])};
            return [said, bars("The next word", names, series, {text: percent})];
        });
    },
};
