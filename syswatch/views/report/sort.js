// Sort a table by the column whose title is clicked, and open the target of a link.
for (const table of document.querySelectorAll(".sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, heads, head, column));
  });
}

function sort(table, heads, head, column) {
  const wasDown = head.getAttribute("aria-sort") === "descending";
  const isWord = head.classList.contains("w");
  const down = head.hasAttribute("aria-sort") ? !wasDown : !isWord;
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  // The tooltip, if there is one, has the exact value.
  const key = ({ cells: { [column]: { dataset, title, textContent } } }) =>
    dataset.key ?? (title.replace(/\D/g, "") || textContent.replaceAll(",", ""));
  const compare = isWord ? (a, b) => key(a).localeCompare(key(b)) : (a, b) => key(a) - key(b);
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * compare(a, b)));
}

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.localName === "details") target.open = true;
}
addEventListener("hashchange", open);
open();
