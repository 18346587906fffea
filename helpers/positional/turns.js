// Rotary's turn: a query and a key, each turned by its position.
import {clocks, dot, explorer, following, lines} from "../figures/live.js";

// x (d,) at a position, its pairs of features (2i, 2i + 1) turned.
export function rotary(x, position, base = 10000) {
    return x.map((each, place) => {
        const angle = position * base ** (-2 * Math.floor(place / 2) / x.length);
        return place % 2 ? x[place - 1] * Math.sin(angle) + each * Math.cos(angle) : each * Math.cos(angle) - x[place + 1] * Math.sin(angle);
    });
}

// The query and the key, turned; scores at the distances from -farthest to farthest.
function view({query, key, scores, i, apart}) {
    const farthest = (scores.length - 1) / 2, distances = scores.map((_, each) => each - farthest);
    const angle = (x, pair) => Math.atan2(x[2 * pair + 1], x[2 * pair]);
    const pairs = Array.from({length: query.length / 2}, (_, pair) => [angle(query, pair), angle(key, pair)]);
    return [`The score q · k is ${scores[farthest + apart].toFixed(2)}, with q at ${i} and k at ${i + apart}.`,
        clocks(`Each pair of features: q at ${i}, k at ${i + apart}`, ["q", "k"], pairs),
        lines("The score against the distance", distances, {"q · k": scores}, {xlabel: "distance j − i", at: farthest + apart})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {q, k, farthest, first} = model.get("data");
        const controls = {
            apart: {label: "distance j − i", value: first, min: -farthest, max: farthest},
            start: {label: "move both by", value: 0, min: 0, max: 100},
        };
        explorer(el, controls, ({apart, start}) => {
            const i = farthest + start, query = rotary(q, i);
            const keys = Array.from({length: 2 * farthest + 1}, (_, each) => rotary(k, i + each - farthest));
            return view({query, key: keys[farthest + apart], scores: keys.map(each => dot(query, each)), i, apart});
        });
    },
};
