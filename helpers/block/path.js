// The residual path: which next words the stream names behind each block, after each word of a text.
import {bars, explorer, following, percent} from "../figures/live.js";

// best: before the blocks and behind each, the likeliest next words as [word, probability].
function view({word, steps, best}) {
    const first = best.map(([[word]]) => word);
    const changed = first.findIndex((_, step) => first.slice(step).every(each => each === first.at(-1)));
    const since = changed ? `since block ${changed}` : "from the start";
    const pictures = best.map((named, step) =>
        bars(steps[step], named.map(([word]) => word), {probability: named.map(([, share]) => share)}, {text: percent}));
    return [`After “${word}” the stream ends with “${first.at(-1)}”, its first choice ${since}.`, ...pictures];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {words, steps, best} = model.get("data");
        const controls = {count: {label: "words read", value: words.length, min: 1, max: words.length}};
        explorer(el, controls, ({count}) => view({word: words[count - 1], steps, best: best[count - 1]}));
    },
};
