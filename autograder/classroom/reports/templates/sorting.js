// A click on a head sorts the table by its column; a long table gets a field that shows only rows with a word.
for (const table of document.querySelectorAll("table.sorts")) {
    const heads = [...table.tHead.rows].at(-1).cells;
    [...heads].forEach((head, at) => {
        const button = document.createElement("button");
        button.append(...head.childNodes);
        head.append(button);
        button.onclick = () => {
            const up = head.getAttribute("aria-sort") !== "ascending";
            [...heads].forEach(each => each.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            const key = row => row.cells[at].dataset.key ?? row.cells[at].textContent;
            // Collation takes digits together and ignores a minus: to it, 0.5 is less than 0.25.
            const rows = [...table.tBodies[0].rows].sort(
                (a, b) => key(a) - key(b) || key(a).localeCompare(key(b), undefined, {numeric: true}));
            table.tBodies[0].append(...(up ? rows : rows.reverse()));
        };
    });
    if (table.tBodies[0].rows.length < 10) continue;
    const field = document.createElement("input");
    field.type = "search";
    field.setAttribute("aria-label", "show rows with");
    field.placeholder = "show rows with ...";
    field.oninput = () => {
        for (const row of table.tBodies[0].rows)
            row.hidden = !row.textContent.toLowerCase().includes(field.value.toLowerCase());
    };
    table.parentElement.before(field);
}
