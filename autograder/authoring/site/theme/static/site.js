// A page's predictions, choices and colour modes, without a kernel.

const tagOf = name => name.replaceAll(".", "-")
const pending = new Set()  // the tags of predictions that aren't made yet: a figure may wait for several

document.querySelectorAll(".hs-predict").forEach(prediction => {
    const buttons = prediction.querySelectorAll("button"), said = prediction.querySelector(".hs-said")
    const tag = `tag_waits-${tagOf(prediction.dataset.prediction)}`
    const waiting = [...document.getElementsByClassName(tag)]
    pending.add(tag)
    waiting.forEach(cell => cell.classList.add("hs-waits"))
    buttons.forEach(button => button.addEventListener("click", () => {
        buttons.forEach(each => each.setAttribute("aria-pressed", each === button))
        const answer = prediction.querySelector(`template[data-letter="${button.value}"]`)
        said.replaceChildren(answer.content.cloneNode(true))
        pending.delete(tag)
        const done = waiting.filter(cell => ![...cell.classList].some(each => pending.has(each)))
        done.forEach(cell => cell.classList.remove("hs-waits"))
    }))
})

document.querySelectorAll(".hs-choices").forEach(exercise => {
    const answers = JSON.parse(exercise.querySelector("script").textContent)
    const slots = [...exercise.querySelectorAll("fieldset")], said = exercise.querySelector(".hs-said")
    const text = numbers => numbers.map(number => answers.pieces[number]).join(" ")
    exercise.addEventListener("change", () => {
        const chosen = slots.map(slot => slot.querySelector("input:checked")?.value)
        if (chosen.includes(undefined)) return
        const [status, headline, ...rows] = answers.said[chosen.join()]
        said.dataset.status = status
        const title = document.createElement("strong"), table = document.createElement("table")
        title.textContent = text(headline)
        for (let number = 0; number < rows.length; number += 2) {
            const row = table.insertRow(), head = document.createElement("th")
            head.scope = "row"
            head.textContent = text(rows[number])
            row.append(head)
            row.insertCell().innerHTML = text(rows[number + 1])  // of our own making
        }
        said.replaceChildren(title, table)
    })
})

// Paper is white, and the colours of the dark would be pale on it.
const look = document.documentElement.dataset
matchMedia("print").addEventListener("change", ({matches}) => {
    if (matches) look.shown = look.theme
    look.theme = matches ? "light" : look.shown
})

// What scrolls can be reached by keys as soon as it is shown: the theme looks at the start and after some changes.
const reached = new ResizeObserver(sizes => sizes.forEach(({target: place}) => {
    const scrolls = place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight
    place.tabIndex = scrolls ? 0 : -1
}))
document.querySelectorAll("pre, p:has(> img), .cell_output > .output, .pst-scrollable-table-container").forEach(
    place => reached.observe(place))

// The menu of colour modes, for which alone the theme needs Bootstrap.
document.querySelectorAll("[data-bs-toggle=dropdown]").forEach(button => {
    const menu = button.nextElementSibling, shown = () => menu.classList.contains("show")
    const show = open => {
        menu.classList.toggle("show", open)
        button.setAttribute("aria-expanded", open)
    }
    show(false)
    button.addEventListener("click", () => show(!shown()))
    document.addEventListener("click", event => { if (!button.contains(event.target)) show(false) })
    document.addEventListener("keydown", event => {
        if (event.key !== "Escape" || !shown()) return
        show(false)
        button.focus()
    })
})
