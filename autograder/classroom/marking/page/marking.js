// One question at a time, its answers in groups that are alike, and one mark for those that are ticked.
const $ = id => document.getElementById(id);
const EVERY = 4000;  // milliseconds between looks at what other graders do
const PAUSE = 500;  // milliseconds: keys that follow each other faster were pressed in one go
const EARLY = "Keys that were pressed before the page was ready were not taken: look, and press them again.";
const make = (tag, text = "", attributes = {}) => Object.assign(document.createElement(tag), {textContent: text}, attributes);
const points = number => `${number} point${number === 1 ? "" : "s"}`;
const sheets = [...document.querySelectorAll("fieldset[data-question]")];
const drafts = new Map();  // by question and group: what is typed and not saved
let data = null, groups = [], at = 0, chosen = new Set(), busy = false;
let shown = {};  // the versions of these answers when the grader came to them
let asked = 0, taken = 0;  // requests, by number: an old answer that comes late isn't shown
let deaf = 0, missed = false;  // until when keys aren't taken, and whether there were any

const fields = () => sheets.find(each => each.dataset.question === $("question").value);
const boxes = () => [...fields().querySelectorAll("input")];
const group = () => groups[at];
const ids = each => each.texts.flatMap(text => text.answers);
const waits = each => ids(each).some(id => data.answers[id].waits);
const whose = answer => answer.student ? `${answer.name || answer.student}${answer.name ? ` (${answer.student})` : ""}` : `answer ${answer.number}`;
const versions = () => Object.fromEntries((group() ? ids(group()) : []).map(id => [id, data.answers[id].version]));
const place = () => `${$("question").value} ${group()?.key}`;

function say(text) {
    say.last = text;
    const all = [text, missed && EARLY].filter(Boolean).join(" ");
    $("said").hidden = !all;
    $("said").textContent = all;
}

// While a change is on its way nothing can be typed or ticked: it would be for what is about to be replaced.
function block() {
    document.querySelector("header").inert = busy;
    document.querySelector("main").inert = busy || !data;
}

// What the server knows of this question, or what it answers to a change.
async function ask(change) {
    const question = $("question").value, number = ++asked;
    const query = new URLSearchParams({question, edition: groups.question === question ? data.edition : ""});
    if ($("names").checked) query.set("names", "shown");
    const xsrf = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/)?.[1] ?? "";
    const path = `${location.pathname.replace(/\/$/, "")}/api?${query}`;
    const headers = {"Content-Type": "application/json", "X-XSRFToken": xsrf};
    // With the token in any case: JupyterHub asks for it whenever a script asks for something.
    const sent = change ? {method: "PUT", headers, body: JSON.stringify({grader: $("grader").value, ...change})} : {headers};
    const answer = await fetch(path, sent);
    const found = await answer.json();
    if (found.message) throw new Error(found.message);
    if (question !== $("question").value || number < taken) return null;  // another one was chosen meanwhile
    taken = number;
    take(found, question);
    return found;
}

function take(found, question) {
    const was = group(), from = place();
    data = found;
    if (found.groups) {
        groups = Object.assign(found.groups, {question});
        at = Math.max(0, groups.findIndex(each => each.key === was?.key));
        if (group()?.key !== was?.key) {
            was ? follow(ids(was), from) : chosen = new Set(group() && ids(group()));
            shown = versions();
        }
    }
    draw();
}

// The answers that were shown are different ones now: stay with them, and with what was typed.
function follow(old, from) {
    const to = groups.findIndex(each => ids(each).some(id => old.includes(id)));
    at = Math.max(0, to);
    chosen = new Set(to < 0 ? group() && ids(group()) : old);
    if (to >= 0 && drafts.has(from)) drafts.set(place(), drafts.get(from));
    drafts.delete(from);
    document.activeElement.blur();
    deaf = performance.now() + 2 * PAUSE;  // what is pressed now was meant for the text before
    say(`The answer that was here ${to < 0 ? "is gone: this is another" : "has changed: this is the new"} one.`);
}

async function look() {
    if (busy || document.hidden) return;
    try {
        await ask();
    } catch (error) {
        say(`The page has lost the server: ${error.message}. What you typed stays; it tries again.`);
        look.lost = true;
        return;
    }
    if (look.lost) say("");
    look.lost = false;
    const late = Object.entries(drafts.get(place())?.seen ?? shown).filter(([id, seen]) => data.answers[id]?.version !== seen);
    if (late.length) say(changed(late.map(([id]) => id)));
}

async function change(wanted, done) {
    const pressed = document.activeElement.closest("button");
    document.activeElement.blur();
    busy = true;
    block();
    try {
        const {conflicts} = await ask(wanted);
        if (conflicts) conflict(conflicts);
        else { shown = versions(); done(); }
    } catch (error) {
        say(`Not saved: ${error.message}`);
    }
    busy = false;
    block();
    pressed?.focus();
}

function conflict(lost) {
    lost.forEach(id => chosen.delete(id));
    for (const seen of [shown, ...[...drafts.values()].map(each => each.seen)]) for (const id of lost) if (data.answers[id]) seen[id] = data.answers[id].version;
    $("members").open = true;
    const rest = chosen.size ? `Save again for the other ${chosen.size}, or tick those, too, to replace what is there.`
        : "Tick them to replace what is there.";
    say(`Not saved: ${changed(lost)} ${rest}`);
    draw();
}

function changed(lost) {
    const by = [...new Set(lost.map(id => data.answers[id]?.by || "a new submission, or a step back"))];
    return `${lost.length === 1 ? "1 answer has" : `${lost.length} answers have`} changed since you looked, by ${by.join(" and ")}.`;
}

// The draft of a mark: what is ticked, the points and the comment. It begins as what all ticked answers share.
function draft() {
    const known = drafts.get(place());
    if (known) return known;
    const marks = [...chosen].map(id => data.answers[id]).filter(Boolean).map(({met, score, text}) => JSON.stringify({met, score, text}));
    return new Set(marks).size === 1 ? JSON.parse(marks[0]) : {met: null, score: null, text: ""};
}

// With the draft goes what the grader had before them when they began: later changes are told, not overwritten.
function edit(changed) {
    const seen = drafts.get(place())?.seen ?? {...versions(), ...shown};
    drafts.set(place(), {...draft(), ...changed, seen});
    draw();
}

function tick(met) {
    const sum = boxes().reduce((all, box, n) => all + (met.includes(n) ? +box.dataset.points : 0), 0);
    edit({met, score: Math.min(sum, +fields().dataset.points)});
}

function toggle(n) {
    const met = draft().met ?? [];
    if (n < boxes().length) tick(met.includes(n) ? met.filter(each => each !== n) : [...met, n].sort());
}

function give(all) {
    if (boxes().length) tick(all ? boxes().map((_, n) => n) : []);
    else edit({score: all ? +fields().dataset.points : 0});
}

function save(next) {
    const {seen = shown, ...mark} = draft(), from = place();
    if (!group() || !chosen.size) return say("Nothing is ticked: tick the answers that this is for.");
    if (mark.score === null && !mark.text) return say("There are no points and no comment to save yet.");
    const answers = Object.fromEntries([...chosen].map(id => [id, seen[id] ?? data.answers[id].version]));
    change({answers, ...mark}, () => {
        drafts.delete(from);
        say("");
        if (next) goToWaiting(); else draw();
    });
}

function undo(step, only) {
    change({undo: step.step, ...(only && {only})}, () => {
        const back = only ?? step.grades;
        for (const [where, {seen}] of drafts) if (back.some(id => id in seen)) drafts.delete(where);
        say("");
        draw();
    });
}

function undoLast() {
    const mine = data.steps.find(step => step.grader === $("grader").value);
    if (mine) undo(mine); else say("There is no step of yours to undo on this question.");
}

function go(to) {
    if (!groups.length) return;
    at = (to + groups.length) % groups.length;
    chosen = new Set(ids(group()));
    shown = versions();
    say("");
    draw();
    scrollTo(0, Math.min(scrollY, document.querySelector("#left > section:last-child").offsetTop - 60));
}

function goToWaiting() {
    const order = groups.map((_, n) => (at + 1 + n) % groups.length);
    const to = order.find(n => waits(groups[n]));
    if (to === undefined) { draw(); say("Nothing waits on this question any more."); } else go(to);
}

async function choose(question) {
    $("question").value = question;
    location.hash = encodeURIComponent(question);
    groups = [], data = null, at = 0, chosen = new Set();
    $("which").replaceChildren("…");
    $("texts").replaceChildren();
    delete $("texts").dataset.drawn;
    say("");
    block();
    document.querySelectorAll("[data-question]").forEach(each => { each.hidden = each.dataset.question !== question; });
    await look();
    if (groups.length && !waits(group())) {
        const to = groups.findIndex(waits);
        if (to >= 0) go(to);
    }
}

function turn(by) {
    const options = [...$("question").options], to = (options.findIndex(each => each.selected) + by + options.length) % options.length;
    choose(options[to].value);
}

function draw() {
    if (!data) return;
    block();
    drawProgress();
    drawAnswers();
    drawMembers();
    drawMark();
    drawHistory();
}

function drawProgress() {
    const [left, all] = data.waiting[$("question").value];
    Object.assign($("bar"), {max: all || 1, value: all - left});
    $("done").textContent = left ? `${left} of ${all} wait` : all ? `all ${all} marked` : "no answers yet";
    for (const option of $("question").options) {
        const name = option.dataset.name ??= option.textContent;
        const count = data.waiting[option.value][0];
        option.textContent = count ? `${name} · ${count} wait` : `${name} · ✓`;
    }
}

function drawAnswers() {
    const count = group() ? ids(group()).length : 0;
    const kind = count > 1 ? `${count} answers alike` : "1 answer";
    const empty = group() && !group().key;
    $("which").replaceChildren(group() ? `${at + 1} of ${groups.length} · ${empty ? `${count} without an answer` : kind}` : "Nothing was handed in yet", " ");
    if (group()) {
        const left = ids(group()).filter(id => data.answers[id].waits).length;
        const text = !left ? "marked" : left === count ? "waits" : `${left} wait`;
        $("which").append(make("small", text, {className: left ? "waits" : ""}));
    }
    const drawn = JSON.stringify([groups.question, data.edition, at]);
    if ($("texts").dataset.drawn === drawn) return;  // so that a selection in it stays
    $("texts").dataset.drawn = drawn;
    $("texts").replaceChildren(...(group()?.texts ?? []).flatMap((text, _, all) => {
        const box = make("div", "", {className: "answer text"});
        box.innerHTML = text.html || "<em>nothing is written here</em>";  // made harmless by the server
        return all.length > 1 ? [make("small", `written like this by ${text.answers.length}`), box] : [box];
    }));
}

function drawMembers() {
    const all = group() ? ids(group()) : [];
    chosen = new Set([...chosen].filter(id => all.includes(id)));
    const known = all.map(id => data.answers[id]);
    const marked = known.filter(each => each.score !== null);
    const about = all.length === 1 ? [whose(known[0]), ...marked.map(each => `${points(each.score)} by ${each.by}`)].join(" · ")
        : `this mark is for ${chosen.size} of ${all.length}; ${marked.length} have one`;
    $("members").firstElementChild.textContent = about + (known.some(each => each.changed) ? " · changed since it was marked" : "");
    $("members").querySelector("tbody").replaceChildren(...all.map(id => {
        const answer = data.answers[id], row = make("tr"), name = whose(answer);
        const box = make("input", "", {type: "checkbox", checked: chosen.has(id), ariaLabel: name});
        box.dataset.id = id;
        const given = answer.score ?? (answer.auto === null ? "waits" : `${answer.auto}, by itself`);
        const back = make("button", "undo", {type: "button", hidden: !answer.step, ariaLabel: `undo: ${name}`});
        back.onclick = () => undo({step: answer.step}, [id]);
        const cells = [box, name, answer.changed ? `${given}, before a change` : String(given), answer.by, back];
        row.append(...cells.map(content => { const cell = make("td"); cell.append(content); return cell; }));
        return row;
    }));
    Object.assign($("all"), {checked: chosen.size === all.length, indeterminate: chosen.size > 0 && chosen.size < all.length});
}

function drawMark() {
    const mark = draft();
    boxes().forEach((box, n) => { box.checked = mark.met?.includes(n) ?? false; });
    $("most").textContent = +fields().dataset.points;
    $("score").max = fields().dataset.points;
    if (document.activeElement !== $("score")) $("score").value = mark.score ?? "";
    if (document.activeElement !== $("comment")) $("comment").value = mark.text;
    $("unsaved").textContent = drafts.has(place()) ? "not saved yet" : "";
    if (JSON.stringify(data.comments) === $("again").dataset.drawn) return;
    $("again").dataset.drawn = JSON.stringify(data.comments);
    $("again").hidden = !data.comments.length;
    $("again").querySelector("ul").replaceChildren(...data.comments.map(text => {
        const item = make("li"), button = make("button", text, {type: "button"});
        button.onclick = () => { const had = draft().text; edit({text: had ? `${had}\n\n${text}` : text}); };
        item.append(button);
        return item;
    }));
}

function drawHistory() {
    $("history").hidden = !data.steps.length;
    if (JSON.stringify(data.steps) === $("history").dataset.drawn) return;
    $("history").dataset.drawn = JSON.stringify(data.steps);
    $("history").querySelector("ul").replaceChildren(...data.steps.map(step => {
        const item = make("li"), button = make("button", "undo", {type: "button"});
        const count = step.grades.length, time = new Date(step.time).toLocaleString([], {dateStyle: "short", timeStyle: "short"});
        const which = count === 1 ? `answer ${data.answers[step.grades[0]]?.number}` : `${count} answers`;
        const what = step.score === null ? "no points" : points(step.score);
        button.setAttribute("aria-label", `undo: ${step.grader}, ${which}, ${what}`);
        button.onclick = () => undo(step);
        item.append(make("span", `${time} · ${step.grader} · ${which}: ${what}${step.text ? `, “${step.text.slice(0, 60)}”` : ""}`), button);
        return item;
    }));
}

const KEYS = {
    f: () => give(true), 0: () => give(false), Enter: () => save(true), s: () => save(false),
    ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), ArrowDown: () => turn(1), ArrowUp: () => turn(-1),
    w: goToWaiting, p: () => $("score").select(), c: () => $("comment").focus(), z: undoLast,
    u: () => { $("again").open = true; $("again").querySelector("button")?.focus(); },
    m: () => { const model = document.querySelector(".asked:not([hidden]) .model"); if (model) model.open = !model.open; },
    n: () => $("names").click(), "?": () => $("help").click(),
};
addEventListener("keydown", event => {
    const typing = event.target.matches("textarea, select, input:not([type=checkbox])");
    if (event.key === "Escape") return event.target.blur();
    const ends = event.key === "Enter" && (event.ctrlKey || event.metaKey);  // wherever one is, also in a comment
    if (!ends && (typing || event.ctrlKey || event.metaKey || event.altKey)) return;
    if (!ends && event.key === "Enter" && event.target.matches("button, summary")) return;  // they have a use for it
    const act = /^[1-9]$/.test(event.key) ? () => toggle(event.key - 1) : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    // Keys pressed in one go belong together: if the first came too early, the others would mean something else.
    missed = busy || !data || event.timeStamp < deaf;
    if (!missed) return act();
    deaf = event.timeStamp + PAUSE;
    say(say.last);
});
addEventListener("pointerdown", () => { missed = false; });
$("right").addEventListener("submit", event => { event.preventDefault(); save(true); });
$("right").addEventListener("change", event => { if (event.target.dataset.line) toggle(+event.target.dataset.line); });
$("score").oninput = () => edit({score: $("score").value === "" ? null : +$("score").value});
$("comment").oninput = () => edit({text: $("comment").value});
$("members").addEventListener("change", event => {
    const {id} = event.target.dataset;
    if (id) event.target.checked ? chosen.add(id) : chosen.delete(id);
    else chosen = new Set(event.target.checked ? ids(group()) : []);
    draw();
    if (id) document.querySelector(`[data-id="${id}"]`).focus();
});
$("question").onchange = () => choose($("question").value);
// A Hub knows who marks. Elsewhere people say so themselves, once.
if (!$("grader").readOnly) $("grader").value = localStorage.getItem("headstart-grader") || $("grader").value;
$("grader").onchange = () => { localStorage.setItem("headstart-grader", $("grader").value); };
$("names").onchange = look;
$("help").onclick = () => { $("keys").hidden = !$("keys").hidden; $("help").setAttribute("aria-expanded", !$("keys").hidden); };
const click = {previous: () => go(at - 1), next: () => go(at + 1), waiting: goToWaiting, full: () => give(true), none: () => give(false), save: () => save(false)};
for (const [id, act] of Object.entries(click)) $(id).onclick = act;
addEventListener("beforeunload", event => { if (drafts.size) event.preventDefault(); });
setInterval(look, EVERY);
const named = decodeURIComponent(location.hash.slice(1));
choose([...$("question").options].some(each => each.value === named) ? named : $("question").value);
