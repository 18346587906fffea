// Drafts accepted and rejected: a small model proposes, a large one keeps or draws instead.
import {bars, explorer, following, lines, percent, sum} from "../figures/live.js";

// What to draw from where a draft was rejected: what the target has more of.
export function adjusted(target, draft) {
    const more = target.map((each, place) => Math.max(0, each - draft[place])), all = sum(more);
    return more.map(each => each / all);
}

// Tokens that a call of the large model brings on average: each draft before the first rejected, and its own.
export const tokensPerCall = (share, drafts) => sum(Array.from({length: drafts + 1}, (_, kept) => share ** kept));

// tokens: per call, for 1, 2, ... drafts at once.
function view({words, target, draft, instead, share, tokens, drafts, told = ""}) {
    const counts = tokens.map((_, each) => each + 1);
    return [`${percent(share)} of the drafts are kept, ${tokens[drafts - 1].toFixed(2)} tokens per call.${told}`,
        bars("Probabilities", words, {"large model": target, "small model": draft, "drawn instead": instead}),
        lines("Tokens per call of the large model against drafts at once", counts, {"tokens per call": tokens}, {xlabel: "drafts at once", at: drafts - 1})];
}

export default {
    follow: following(view),
    render({model, el}) {
        const {words, target, other} = model.get("data");
        let [pressed, tally] = [0, ""];
        const controls = {
            alike: {label: "alike", value: 0.4, min: 0, max: 0.95, step: 0.05, shown: each => each.toFixed(2)},
            drafts: {label: "drafts at once", value: 4, min: 1, max: 10},
            call: {label: "draft, and ask the large model", press: true},
        };
        const pick = chances => {
            let left = Math.random();
            const found = chances.findIndex(each => (left -= each) < 0);
            return found < 0 ? chances.findLastIndex(each => each > 0) : found;
        };
        explorer(el, controls, ({alike, drafts, call}) => {
            const draft = target.map((each, place) => alike * each + (1 - alike) * other[place]);
            const instead = adjusted(target, draft), share = sum(target.map((each, place) => Math.min(each, draft[place])));
            const tokens = Array.from({length: 10}, (_, each) => tokensPerCall(share, each + 1));
            tally = "";
            if (call > pressed) {
                const told = [];
                for (let each = 0; each < drafts; each++) {
                    const word = pick(draft);
                    if (Math.random() * draft[word] < target[word]) told.push(`${words[word]} kept`);
                    else {
                        told.push(`${words[word]} rejected, ${words[pick(instead)]} instead`);
                        break;
                    }
                }
                if (told.length === drafts && told.at(-1).endsWith("kept")) told.push(`${words[pick(target)]} from the large model`);
                tally = ` This call: ${told.join("; ")}.`;
            }
            pressed = call;
            return view({words, target, draft, instead, share, tokens, drafts, told: tally});
        });
    },
};
