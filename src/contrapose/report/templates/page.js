// A click on the head of a column sorts the rows by it, a further one the other way round.  Numbers sort by the
// first number of a cell, the largest first; cells without one stay below.
const first = text => parseFloat(text.replace(/^\D*?[−–](?=[\d.])/, "-").replaceAll(",", "").match(/[-+]?\.?\d.*/)?.[0]);
const sort = head => {
  const body = head.closest("table").tBodies[0], at = head.cellIndex, down = head.ariaSort
    ? head.ariaSort !== "descending" : head.classList.contains("number");
  const key = row => head.classList.contains("number") ? first(row.cells[at].textContent) : row.cells[at].textContent;
  const order = (one, other) => Number.isNaN(one) - Number.isNaN(other)
    || (typeof one === "string" ? one.localeCompare(other) : one - other || 0) * (down ? -1 : 1);
  for (const other of head.parentNode.cells) other.ariaSort = null;
  head.ariaSort = down ? "descending" : "ascending";
  body.append(...[...body.rows].sort((one, other) => order(key(one), key(other))));
};
const pressed = event => {
  const head = event.target.closest("thead th");
  if (head && (event.type === "click" || event.key === "Enter")) sort(head);
};
document.addEventListener("click", pressed);
document.addEventListener("keydown", pressed);
// A line or command to copy has a button where scripts run.
for (const shown of document.querySelectorAll(".copied")) {
  const button = document.createElement("button"), text = shown.textContent;
  button.textContent = "Copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }));
  shown.after(button);
}
