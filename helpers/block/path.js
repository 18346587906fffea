// The residual path: which next words the stream names behind each block, after each word of a text.
import {bars, explorer, percent} from "../figures/live.js";

export default {
    render({model, el}) {
        const {words, steps, best} = model.get("data");
        const controls = {count: {label: "words read", value: words.length, min: 1, max: words.length}};
        explorer(el, controls, ({count}) => {
            const found = best[count - 1], first = found.map(([[word]]) => word);
            const changed = first.findIndex((word, step) => first.slice(step).every(each => each === first.at(-1)));
            const since = changed ? `since block ${changed}` : "from the start";
            const said = `After “${words[count - 1]}” the stream ends with “${first.at(-1)}”, its first choice ${since}.`;
            const pictures = found.map((named, step) =>
                bars(steps[step], named.map(([word]) => word), {probability: named.map(([, share]) => share)}, {text: percent}));
            return [said, ...pictures];
        });
    },
};
