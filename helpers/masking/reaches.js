// A mask to draw, and who reaches whom through some layers of it.
import {explorer, following, heat, make} from "../figures/live.js";

// Of whose inputs each position may hold something after some layers; True in the mask means "may attend".
export function reach(mask, layers) {
    let found = mask.map((row, i) => row.map((_, j) => i === j));
    for (let layer = 0; layer < layers; layer++) {
        found = mask.map((row, i) => row.map((_, j) => found[i][j] || row.some((may, k) => may && found[k][j])));
    }
    return found;
}

// found: after those layers, whether each position may hold something of each.
function view({words, found, layers, follow}) {
    const heard = words.filter((_, j) => found[follow][j]);
    const later = found.flatMap((row, i) => row.map((each, j) => each && j > i)).filter(Boolean).length;
    const leaks = later ? `${later} pairs hold something of a later word: a language model would read its answers.` : "Nothing of a later word arrives anywhere.";
    const count = `${layers} layer${layers > 1 ? "s" : ""}`;
    return [`After ${count}, ${words[follow]} may hold something of ${heard.join(", ") || "nothing"}. ${leaks}`,
        heat(`Who may hold something of whom, after ${count}`, words, words, found.map(row => row.map(Number)), {digits: 0, corner: "holds →"})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {words, masks, most} = model.get("data"), names = Object.keys(masks), own = "your own";
        let [mask, chosen] = [[], null];
        const buttons = words.map((query, i) => words.map((key, j) => {
            const button = make("button", {type: "button", "aria-label": `${query} may look at ${key}`});
            button.addEventListener("click", () => {
                mask[i][j] = !mask[i][j];
                menu.value = chosen = String(names.length);
                draw();
            });
            return button;
        }));
        const head = make("tr", {}, make("td", {}, "looks at →"), ...words.map(word => make("th", {scope: "col"}, word)));
        const rows = buttons.map((row, i) => make("tr", {}, make("th", {scope: "row"}, words[i]), ...row.map(each => make("td", {}, each))));
        const grid = make("table", {}, make("caption", {}, "The mask: press to allow or forbid"), make("thead", {}, head), make("tbody", {}, ...rows));
        const controls = {
            layers: {label: "layers", value: 1, min: 1, max: most},
            follow: {label: "follow", value: words.length - 1, options: words.map((word, number) => `${number}: ${word}`)},
            choice: {label: "mask", value: 0, options: [...names, own]},
            grid: {element: make("div", {class: "scrolls"}, grid)},
        };
        let menu;
        const draw = explorer(el, controls, ({layers, follow, choice}, inputs) => {
            menu = inputs.choice;
            if (choice !== chosen && names[choice]) mask = masks[names[choice]].map(row => [...row]);
            chosen = choice;
            buttons.forEach((row, i) => row.forEach((button, j) => {
                button.textContent = mask[i][j] ? "✓" : "–";
                button.setAttribute("aria-pressed", mask[i][j]);
            }));
            return view({words, found: reach(mask, layers), layers, follow});
        });
    },
};
