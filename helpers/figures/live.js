// What explorers that compute in the page share: controls, tables, bars, lines and hands of clocks.
// An explorer is a module `{render({model, el})}`, as anywidget calls it; live.py puts one into a page.

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
// Cividis, in five stops: its lightness grows evenly, for readers of any colour vision.
const CIVIDIS = [[0, 34, 78], [67, 78, 108], [125, 124, 120], [188, 174, 108], [254, 232, 56]];
const STYLE = `
:host { display: block; max-width: 860px; line-height: 1.4; color: inherit; font-family: inherit }
label, .press { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: center; margin: 6px 0 }
label > span { flex: 0 0 116px }
input, select, button { font: inherit; color: inherit; background: transparent; box-sizing: border-box }
input:not([type=checkbox]), select { flex: 1 1 180px; min-width: 0; max-width: 400px; min-height: 28px }
input[type=range] { flex-basis: 120px }  /* beside its number, on a phone as well */
input[type=text], select, button { border: 1px solid; border-radius: 4px; padding: 3px 8px }
input[type=checkbox] { width: 20px; height: 20px }
input, button { accent-color: #0072b2 } label:has(:disabled) { opacity: .6 }
option { color: CanvasText; background: Canvas }
button { cursor: pointer; min-width: 28px; min-height: 28px }
:focus-visible { outline: 2px solid; outline-offset: 2px }
label > .now { flex: 0 0 52px; font-variant-numeric: tabular-nums }
[hidden] { display: none !important }
p { margin: 8px 0 } p:empty { display: none }
.pictures { display: flex; flex-wrap: wrap; gap: 0 24px; align-items: flex-start }
.pictures > * { flex: 1 1 300px; min-width: 0; max-width: 100% } .pictures > .whole { flex: none }
.scrolls { overflow-x: auto; margin: 10px 0 }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums }
caption { text-align: left; padding: 0 0 4px; white-space: nowrap }
th { font-weight: normal; text-align: right; padding: 2px 8px; white-space: nowrap }
thead th { text-align: center } .bars thead th { text-align: left }
.heat td { min-width: 38px; height: 26px; padding: 0 2px; text-align: center; border: 1px solid transparent }
.heat td.off { opacity: .7 } .heat td.framed { outline: 3px solid #d55e00; outline-offset: -2px }
.bars { width: 100% } .bars th:first-child, .bars thead td { width: 1% } .bars td { padding: 1px 8px 1px 0; white-space: nowrap }
.bars td > span { display: flex; gap: 6px; align-items: center }
.bars i { display: block; height: 12px; flex: none; box-sizing: border-box }
svg { display: block; width: 100%; max-width: 560px; margin: 10px 0; overflow: visible }
svg text { fill: currentColor; font-size: 16px }
figcaption { font-size: 14px }
@media (forced-colors: active) { .bars i { border: 1px solid; forced-color-adjust: none } .heat td { border-color: CanvasText } }
`;

export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

// A place in `el` for what views give: a sentence, then elements. Returns what shows them there; its `say` shows
// another sentence, and whether more of it will come.
export function stage(el, ...above) {
    // JupyterLab's shortcuts are for cells: a letter that is typed here must not make or delete one.
    const host = make("div", {"data-lm-suppress-shortcuts": "true"});
    const root = host.attachShadow({mode: "open"});
    const said = make("p", {role: "status"}), pictures = make("div", {class: "pictures"});
    root.append(make("style", {}, STYLE), ...above, said, pictures);
    root.addEventListener("keydown", event => event.stopPropagation());
    el.append(host);
    const say = (text, more = false) => {
        said.setAttribute("aria-busy", more);  // a screen reader waits for the rest
        if (said.textContent !== text) said.textContent = text;
    };
    const show = ([text, ...shown]) => {
        say(text);
        pictures.replaceChildren(...shown);
    };
    return Object.assign(show, {say});
}

// For a module's `follow`: in `el`, what `view` makes of the numbers that a kernel gives, each time anew.
export const following = view => el => {
    const show = stage(el);
    return numbers => show(view(numbers));
};

// Controls above, and below them what `view(values, inputs, say)` gives for their values: a sentence, then elements.
// A control's kind follows from its value: a text, a number from `min` to `max`, a truth, one of
// `options`; `press` makes a button, whose value counts how often it was pressed; `element` is shown as it is.
export function explorer(el, controls, view) {
    const inputs = {}, tell = [];
    const show = stage(el, ...Object.entries(controls).map(([name, control]) =>
        control.element ?? (control.press ? button(name, control) : labelled(name, control))));

    function button(name, {label}) {
        inputs[name] = make("button", {type: "button", value: 0}, label);
        inputs[name].addEventListener("click", event => {
            event.target.value = Number(event.target.value) + 1;
            draw();
        });
        return make("div", {class: "press"}, inputs[name]);
    }

    function labelled(name, {label, value, options, min, max, step = 1, shown = String}) {
        const number = typeof value === "number", truth = typeof value === "boolean";
        const type = number ? "range" : truth ? "checkbox" : "text";
        const input = options ? make("select") : make("input", number ? {type, min, max, step} : {type});
        if (options) offer(input, options);
        if (truth) input.checked = value;
        else input.value = value;
        input.addEventListener("input", draw);
        inputs[name] = input;
        const row = make("label", {}, make("span", {}, label), input);
        if (number && !options) {
            const output = make("span", {class: "now", "aria-hidden": "true"});
            row.append(output);
            tell.push(() => {
                output.textContent = shown(Number(input.value));
                input.setAttribute("aria-valuetext", output.textContent);
                input.disabled = input.min === input.max;  // a model that stops at once has one word to show
            });
        }
        return row;
    }

    function valueOf(input) {
        if (input.type === "checkbox") return input.checked;
        return input.type === "text" || input.type === "select-one" ? input.value : Number(input.value);
    }

    function draw() {
        const values = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, valueOf(input)]));
        show(view(values, inputs, show.say));
        tell.forEach(each => each());
    }
    draw();
    return draw;
}

// Give a menu its options, and keep what is chosen where it is still among them.
export function offer(select, options) {
    const chosen = select.value;
    select.replaceChildren(...options.map((text, number) => make("option", {value: number}, text)));
    if (Number(chosen) < options.length) select.value = Number(chosen);
}

function scrolling(kind, caption, table) {
    return make("div", {class: kind, role: "region", tabindex: 0, "aria-label": caption}, table);
}

function table(kind, caption, corner, columns, rows, cells) {
    const head = columns.map(name => make("th", {scope: "col"}, name));
    const body = rows.map((name, row) => make("tr", {}, make("th", {scope: "row"}, name), ...cells(row)));
    const parts = [make("thead", {}, make("tr", {}, make("td", {}, corner), ...head)), make("tbody", {}, ...body)];
    return scrolling(kind === "heat" ? "scrolls whole" : "scrolls", caption, make("table", {class: kind}, make("caption", {}, caption), ...parts));
}

// Numbers as a table whose cells are coloured from `low` to `high`; null is a hidden cell. Of each row, the cell
// in the column that `framed` has for it gets a frame.
export function heat(caption, columns, rows, numbers, {digits = 2, low = 0, high = 1, corner = "", framed = []} = {}) {
    const cell = (number, marked) => {
        if (number === null) return make("td", {class: "off"}, "hidden");
        const share = Math.min(1, Math.max(0, (number - low) / (high - low)));
        const at = Math.min(3, Math.floor(4 * share)), part = 4 * share - at;
        const color = CIVIDIS[at].map((from, each) => Math.round(from + part * (CIVIDIS[at + 1][each] - from)));
        const style = `background: rgb(${color}); color: ${share > 0.47 ? "black" : "white"}`;
        return make("td", marked ? {style, class: "framed"} : {style}, minus(number.toFixed(digits)));
    };
    const cells = row => numbers[row].map((number, column) => cell(number, framed[row] === column));
    return table("heat", caption, corner, columns, rows, cells);
}

// Names with a bar for each of their numbers, at most `most` long.
export function bars(caption, names, series, {most = 1, digits = 2, text = null} = {}) {
    const columns = Object.keys(series);
    const cells = row => columns.map((name, each) => {
        const number = series[name][row], width = `${Math.round(70 * Math.min(1, Math.max(0, number / most)))}%`;
        const bar = make("i", {style: `width: ${width}; background: ${COLORS[each % 4]}`});
        return make("td", {}, make("span", {}, bar, text ? text(number) : minus(number.toFixed(digits))));
    });
    return table("bars", caption, "", columns, names, cells);
}

// `512`, `6.7·10⁷`.
export function short(number) {
    const [digits, power] = number.toExponential(1).split("e");
    if (Math.abs(number) < 1e5) return minus(String(+number.toPrecision(5)));
    return `${digits}·10${power.replace("+", "").replace(/\d/g, each => "⁰¹²³⁴⁵⁶⁷⁸⁹"[each])}`;
}

export const minus = text => text.replace(/^-/, /[1-9]/.test(text) ? "−" : "");

function svg(width, height, label, inside) {
    const box = make("div");
    box.innerHTML = `<svg role="img" viewBox="0 0 ${width} ${height}">${inside}</svg>`;
    box.firstChild.setAttribute("aria-label", label);
    return box;
}

// Numbers over `x` as lines, told apart by colours and dashes; `at` marks one place of each.
export function lines(caption, x, series, {xlabel = "", at = null, log = false} = {}) {
    const scale = log ? Math.log10 : each => each, [left, right, top, bottom] = [80, 540, 28, 210];
    const numbers = Object.values(series).flat();
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map(scale), reach = high - low || 1;
    const across = each => left + (right - left) * (scale(x[each]) - scale(x[0])) / (scale(x.at(-1)) - scale(x[0]));
    const up = number => bottom - (bottom - top) * (scale(number) - low) / reach;
    const tick = number => short(+number.toPrecision(3));
    let inside = `<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="currentColor" opacity=".6"/>`;
    for (const number of [Math.min(...numbers), Math.max(...numbers)])
        inside += `<text x="${left - 6}" y="${up(number) + 5}" text-anchor="end">${tick(number)}</text>`;
    for (const [each, anchor] of [[0, "start"], [x.length - 1, "end"]])
        inside += `<text x="${across(each)}" y="${bottom + 18}" text-anchor="${anchor}">${tick(x[each])}</text>`;
    inside += `<text x="${(left + right) / 2}" y="${bottom + 18}" text-anchor="middle">${xlabel}</text>`;
    Object.entries(series).forEach(([name, values], number) => {
        const path = values.map((value, each) => `${across(each).toFixed(1)},${up(value).toFixed(1)}`).join(" ");
        const stroke = `stroke="${COLORS[number % 4]}" stroke-dasharray="${DASHES[number % 4]}" stroke-width="2.5"`;
        inside += `<polyline points="${path}" fill="none" ${stroke}/>`;
        if (at !== null) inside += `<circle cx="${across(at)}" cy="${up(values[at])}" r="6" fill="none" ${stroke}/>`;
        const start = left + number * (right - left) / Object.keys(series).length;
        inside += `<path d="M${start} 10h28" ${stroke}/><text x="${start + 34}" y="15">${name}</text>`;
    });
    return make("figure", {style: "margin: 0"}, svg(560, 234, caption, inside), make("figcaption", {}, caption));
}

// A clock for each angle, or for each group of angles: a hand for each of `names`.
export function clocks(caption, names, groups) {
    const columns = Math.min(4, groups.length), side = 560 / 4, rows = Math.ceil(groups.length / columns);
    let inside = "";
    groups.forEach((angles, number) => {
        const [x, y] = [side * (number % columns + 0.5), side * (Math.floor(number / columns) + 0.5)];
        inside += `<circle cx="${x}" cy="${y}" r="50" fill="none" stroke="currentColor" opacity=".4"/>`;
        angles.forEach((angle, each) => {
            const [dx, dy] = [Math.cos(angle), -Math.sin(angle)];
            const stroke = `stroke="${COLORS[each]}" stroke-width="3" stroke-dasharray="${DASHES[each]}"`;
            inside += `<path d="M${x} ${y}l${(44 * dx).toFixed(1)} ${(44 * dy).toFixed(1)}" ${stroke}/>`;
            const place = `x="${(x + 60 * dx).toFixed(1)}" y="${(y + 60 * dy + 5).toFixed(1)}"`;
            inside += `<text ${place} text-anchor="middle">${names[each]}</text>`;
        });
    });
    return make("figure", {style: "margin: 0"}, svg(560, side * rows, caption, inside), make("figcaption", {}, caption));
}

// -- mathematics -----------------------------------------------------------------------------------------

export const sum = numbers => numbers.reduce((total, each) => total + each, 0);
export function dot(a, b) {
    let total = 0;
    for (let place = 0; place < a.length; place++) total += a[place] * b[place];
    return total;
}
export const times = (x, matrix) => x.map(row => matrix[0].map((_, column) => sum(row.map((each, k) => each * matrix[k][column]))));

export function softmax(scores) {
    const largest = Math.max(...scores), grown = scores.map(score => Math.exp(score - largest)), all = sum(grown);
    return grown.map(each => each / all);
}

export const percent = share => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
