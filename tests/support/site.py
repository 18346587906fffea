"""What a browser is asked of a page of the website."""

RULES = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
VIOLATIONS = """async rules => (await axe.run(document, rules)).violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`))"""
ALL_PICTURES = """() => document.querySelectorAll("img").forEach(image => { image.loading = "eager" })"""
# Moves each control of each live explorer, alone and after those above it, and names those that change nothing
# of what is shown either way: which word is hidden, say, matters only to a mask that hides one.
MOVED = """async () => {
    const idle = []
    for (const place of document.querySelectorAll(".headstart-live")) {
        for (let frame = 0; frame < 600 && !("runs" in place.dataset); frame++)
            await new Promise(requestAnimationFrame)
        const root = [...place.querySelectorAll("*")].find(each => each.shadowRoot)?.shadowRoot
        if (!root) { idle.push("no explorer: " + place.textContent.slice(0, 80)); continue }
        const shown = () => [...root.children].filter(each => each.matches("p, div:not(.press)")).map(
            each => each.innerHTML).join()
        const key = input => input.type === "checkbox" ? "checked" : "value"
        const set = (input, value) => {
            input[key(input)] = value
            input.dispatchEvent(new Event("input", {bubbles: true}))
        }
        const inputs = [...root.querySelectorAll("input, select, button")], moves = new Set()
        for (const alone of [true, false]) for (const input of inputs) {
            const before = shown(), was = input[key(input)]
            const others = input.matches("button") ? [] : input.type === "checkbox" ? [!was]
                : input.matches("select") ? [...input.options].map(each => each.value)
                : input.type === "range" ? [input.min, input.max] : [was.split(" ").slice(0, -1).join(" ")]
            if (input.matches("button")) input.click()
            const changed = others.map(other => { set(input, other); return shown() !== before })
            if (changed.includes(true) || shown() !== before) moves.add(input)
            if (alone && !input.matches("button")) set(input, was)
        }
        const one = input => input.disabled && input.min === input.max  // which is off, having nowhere to go
        idle.push(...inputs.filter(each => !moves.has(each) && !one(each)).map(
            each => (each.closest("label") ?? each).textContent))
    }
    return idle
}"""
# Answers every prediction and opens everything that is folded; counts the figures that still wait.
UNFOLDED = """() => {
    document.querySelectorAll(".hs-predict").forEach(each => each.querySelector("button").click())
    document.querySelectorAll("details").forEach(each => { each.open = true })
    return document.querySelectorAll(".hs-waits").length
}"""
# What scrolls but isn't reached by keys, in the next frame: the theme alone would take 300 ms, or never do it.
UNREACHED = """async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    return [...document.querySelectorAll("main [tabindex='-1']")].filter(each =>
        /auto|scroll/.test(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth
        || /auto|scroll/.test(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight
    ).map(each => each.outerHTML.slice(0, 160))
}"""
# What a check says of a wrong answer fits, whatever names are in it.
WIDE_MESSAGES = """() => [...document.querySelectorAll(".hs-gallery, .hs-said")].filter(
    each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent.slice(0, 160))"""
# Short code in a table's cell, of which a narrow column shows a letter or two on each line.
BROKEN_CODE = """() => [...document.querySelectorAll("main .table code")].filter(
    each => /^[^\\s./-]{1,12}$/.test(each.textContent)
        && new Set([...each.getClientRects()].map(line => Math.round(line.top))).size > 1).map(each => each.textContent)"""
