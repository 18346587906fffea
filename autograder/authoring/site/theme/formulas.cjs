// Sets the formulas of a website's pages, so that no page needs MathJax itself, only its fonts.
// Called as: node formulas.cjs FOLDER, where node_modules/ has mathjax.
const fs = require("fs"), path = require("path")
const folder = process.argv[2]
// With the bracket before it and the punctuation after it, which would begin a line of their own.
const TEX = /(\(?)<(span|div) class="math">\\([([])([\s\S]*?)\\[)\]]<\/\2>([.,:;!?)]*)/g
const ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&"}

require("mathjax").init({
    loader: {load: ["input/tex", "output/chtml", "a11y/assistive-mml"]},
    chtml: {fontURL: "fonts"},
    options: {enableAssistiveMml: true},
}).then(MathJax => {
    const adaptor = MathJax.startup.adaptor, made = new Map()
    const set = (tex, display) => {
        const key = `${display}${tex}`
        if (!made.has(key)) made.set(key, adaptor.outerHTML(MathJax.tex2chtml(tex, {display})))
        return made.get(key)
    }
    for (const name of fs.readdirSync(folder).filter(name => name.endsWith(".html")).sort()) {
        const file = path.join(folder, name), before = fs.readFileSync(file, "utf8")
        const after = before.replace(TEX, (_, before, tag, kind, tex, after) => {
            tex = tex.replace(/&(lt|gt|quot|#x27|amp);/g, entity => ENTITIES[entity])
            const page = set(tex, kind === "[")
            if (page.includes("merror")) throw new Error(`${name}: ${tex}`)
            const made = `${before}<${tag} class="hs-math"${kind === "[" ? ' tabindex="0"' : ""}>${page}</${tag}>${after}`
            return before || after ? `<span class="hs-together">${made}</span>` : made
        })
        if (after !== before) fs.writeFileSync(file, after)
    }
    fs.appendFileSync(path.join(folder, "_static", "site.css"), adaptor.textContent(MathJax.chtmlStylesheet()))
}).catch(error => { console.error(`headstart: a formula can't be set: ${error.message}`); process.exit(1) })
