// Rotary's turn: a query and a key, each turned by its position.
import {clocks, dot, explorer, lines} from "../figures/live.js";

// x (d,) at a position, its pairs of features (2i, 2i + 1) turned.
export function rotary(x, position, base = 10000) {
    return x.map((each, place) => {
        const angle = position * base ** (-2 * Math.floor(place / 2) / x.length);
        return place % 2 ? x[place - 1] * Math.sin(angle) + each * Math.cos(angle) : each * Math.cos(angle) - x[place + 1] * Math.sin(angle);
    });
}

export default {
    render({model, el}) {
        const {q, k, farthest, first} = model.get("data");
        const controls = {
            apart: {label: "distance j − i", value: first, min: -farthest, max: farthest},
            start: {label: "move both by", value: 0, min: 0, max: 100},
        };
        explorer(el, controls, ({apart, start}) => {
            const i = farthest + start, query = rotary(q, i), distances = Array.from({length: 2 * farthest + 1}, (_, each) => each - farthest);
            const scores = distances.map(each => dot(query, rotary(k, i + each))), key = rotary(k, i + apart);
            const angle = (x, pair) => Math.atan2(x[2 * pair + 1], x[2 * pair]);
            const pairs = Array.from({length: q.length / 2}, (_, pair) => [angle(query, pair), angle(key, pair)]);
            return [`The score q · k is ${scores[farthest + apart].toFixed(2)}, with q at ${i} and k at ${i + apart}.`,
                clocks(`Each pair of features: q at ${i}, k at ${i + apart}`, ["q", "k"], pairs),
                lines("The score against the distance", distances, {"q · k": scores}, {xlabel: "distance j − i", at: farthest + apart})];
        });
    },
};
