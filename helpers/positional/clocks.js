// The clock of positions: sines and cosines, and what two positions have in common.
import {clocks, dot, explorer, following, heat, lines} from "../figures/live.js";

// The row of position p: sine and cosine, side by side, of width / 2 angles.
export function sinusoidal(p, width, base) {
    const angles = Array.from({length: width / 2}, (_, i) => p * base ** (-2 * i / width));
    return angles.flatMap(angle => [Math.sin(angle), Math.cos(angle)]);
}

// rows: of all positions, each a sine and a cosine per angle, side by side.
function view({rows, a, b}) {
    const similar = rows.map(row => dot(row, rows[a])), d = rows[0].length;
    const shown = Math.min(8, d / 2), pairs = [...Array(shown).keys()];
    const angles = pairs.map(i => [a, b].map(p => Math.atan2(rows[p][2 * i], rows[p][2 * i + 1])));
    const inTable = pairs.slice(0, 7);  // an eighth is a little too wide for the page
    const columns = inTable.flatMap(i => [`sin ${i}`, `cos ${i}`]);
    const count = number => d / 2 > number ? `The first ${number} of ${d / 2} pairs` : "All pairs";
    return [`a · b = ${similar[b].toFixed(2)}; a · a = ${similar[a].toFixed(2)}.`,
        clocks(`${count(shown)} of features as clocks: the hands of positions a and b`, ["a", "b"], angles),
        lines(`Dot product of position ${a} with every position; position ${b} is marked`, [...rows.keys()], {"a · each": similar}, {xlabel: "position", at: b}),
        heat(`${count(inTable.length)} of features`, columns, [`a = ${a}`, `b = ${b}`], [rows[a], rows[b]].map(row => row.slice(0, columns.length)), {low: -1})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {positions, widths, bases, first} = model.get("data");
        const place = (label, value) => ({label, value, min: 0, max: positions - 1});
        const controls = {
            a: place("position a", first.a), b: place("position b", first.b),
            width: {label: "width d_model", value: widths.indexOf(first.width), options: widths.map(String)},
            base: {label: "base", value: bases.indexOf(first.base), options: bases.map(each => each.toLocaleString("en"))},
        };
        explorer(el, controls, ({a, b, width, base}) => {
            const rows = Array.from({length: positions}, (_, p) => sinusoidal(p, widths[width], bases[base]));
            return view({rows, a, b});
        });
    },
};
