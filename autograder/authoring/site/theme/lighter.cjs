// Makes a website lighter: leaves out the styles that no page uses, and what a figure looks the same without.
// Called as: node lighter.cjs FOLDER, where node_modules/ has purgecss and svgo.
const fs = require("fs"), path = require("path")
const { PurgeCSS } = require("purgecss"), { optimize } = require("svgo")
const folder = process.argv[2], figures = path.join(folder, "figures")
// Matplotlib names each part of a figure, in as many letters as its lines have. Nothing outside refers to them.
const ids = {name: "preset-default", params: {overrides: {cleanupIds: {force: true}}}}
const settings = {floatPrecision: 2, plugins: [ids, "removeXlink"]}
// Letters are drawn in 1/640 of a pixel and up: 1/40 is as fine as anybody sees.
const LETTER = /(<path id="[^"]*" d=")([^"]*)(" transform="scale\()0\.015625\)/g
const BESIDE = /<use transform="translate\((-?[\d.]+)\)"/g
const rounded = outline => outline.replace(/-?\d+(\.\d+)?/g, number => Math.round(number / 16))
const coarse = figure => figure.replace(LETTER, (_, start, outline, scale) => `${start}${rounded(outline)}${scale}.25)`)
const lighter = figure => optimize(coarse(figure), settings).data.replace(BESIDE, '<use x="$1"')
const all = pattern => path.join(folder, pattern).replaceAll("\\", "/")

async function main() {
    const purged = await new PurgeCSS().purge({
        content: [all("*.html"), all("_static/**/*.js")],
        css: [all("_static/*.css"), all("_static/styles/*.css")],
        dynamicAttributes: ["data-theme", "data-mode"],  // the theme's script sets them
    })
    for (const {file, css} of purged) fs.writeFileSync(file, css)
    for (const name of fs.readdirSync(figures).filter(name => name.endsWith(".svg"))) {
        const file = path.join(figures, name)
        fs.writeFileSync(file, lighter(fs.readFileSync(file, "utf8")))
    }
}

main().catch(error => { console.error(`headstart: ${error.message}`); process.exit(1) })
