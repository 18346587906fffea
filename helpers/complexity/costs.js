// The cost of a layer against the length: table 1 of Vaswani et al. 2017, without constant factors.
import {bars, explorer, following, lines, short} from "../figures/live.js";

// Operations, and steps that must come one after another, of n positions of d features; k is a kernel's width.
export const LAYERS = {
    "self-attention": (n, d) => [n * n * d, 1],
    "recurrent": (n, d) => [n * d * d, n],
    "convolutional": (n, d, k) => [k * n * d * d, 1],
};

// Steps of `units` operations at once, where what must come one after another does.
export function time([operations, steps], units) {
    return steps * Math.max(1, operations / steps / units);
}

// series: time steps of each layer at each of the lengths; n: which of them is the length.
function view({lengths, series, n, d}) {
    const names = Object.keys(series), now = names.map(name => series[name][n]), least = Math.min(...now);
    const done = names.filter((_, each) => now[each] === least).join(" and "), told = each => each.toLocaleString("en");
    return [`At length ${told(lengths[n])} and width ${told(d)}, done first: ${done}.`,
        bars("Time steps", names, {"time steps": now}, {most: Math.max(...now), text: short}),
        lines("Time steps against the length, both on logarithmic scales; your length is marked", lengths, series, {xlabel: "length n", at: n, log: true})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {lengths, widths, kernels, units, first} = model.get("data");
        const menu = (label, all, value) => ({label, value: all.indexOf(value), options: all.map(each => each.toLocaleString("en"))});
        const slider = (label, all, value) => ({label, value: all.indexOf(value), min: 0, max: all.length - 1, shown: each => all[each].toLocaleString("en")});
        const controls = {
            n: slider("length n", lengths, first.n), d: slider("width d", widths, first.d),
            k: menu("kernel k", kernels, first.k), units: menu("calculators", units, first.units),
        };
        explorer(el, controls, values => {
            const [d, k, u] = [widths[values.d], kernels[values.k], units[values.units]];
            const series = Object.fromEntries(Object.entries(LAYERS).map(
                ([name, cost]) => [name, lengths.map(length => time(cost(length, d, k), u))]));
            return view({lengths, series, n: values.n, d});
        });
    },
};
