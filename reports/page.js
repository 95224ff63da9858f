// What a page can do where scripts run: a click on a title sorts its table by that column, and
// words in the box above leave the rows that have all of them. Pages are XML too, so no character
// that XML reserves may stand here.
const scale = {ns: 1e-9, us: 1e-6, ms: 1e-3, k: 1e3, K: 1024, M: 1e6, G: 1e9, T: 1e12};

// "1,380 us" to 0.00138; what does not begin with a number comes last.
function valueOf(words) {
  const found = /^([-+]?[\d.,]+) ?([num]s|[kKMGT](?=\w))?/.exec(words);
  return found ? Number(found[1].replaceAll(',', '')) * (scale[found[2]] ?? 1) : Infinity;
}

// A row with what stands below it.
function groupsOf(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.className === 'below') groups.at(-1).push(row);
    else groups.push([row]);
  }
  return groups;
}

function sort(title) {
  const at = title.cellIndex, numbers = title.classList.contains('right'), body = title.closest('table').tBodies[0];
  const sign = title.ariaSort === 'ascending' ? -1 : 1;
  const words = (group) => group[0].cells[at].textContent;
  const compare = (a, b) => numbers ? valueOf(a) - valueOf(b) || 0 : a.localeCompare(b, 'en', {numeric: true});
  for (const other of title.parentNode.cells) other.ariaSort = null;
  title.ariaSort = sign === 1 ? 'ascending' : 'descending';
  body.append(...groupsOf(body).sort((a, b) => sign * compare(words(a), words(b))).flat());
}

function filter(words) {
  const wanted = words.toLowerCase().split(/\s+/);
  for (const table of document.querySelectorAll('table.rows'))
    for (const group of groupsOf(table.tBodies[0])) {
      const text = group.map((row) => row.textContent).join(' ').toLowerCase();
      for (const row of group) row.hidden = !wanted.every((word) => text.includes(word));
    }
  if (words) for (const fold of document.querySelectorAll('details')) fold.open = true;
}

for (const title of document.querySelectorAll('th')) {
  title.tabIndex = 0;
  title.onclick = () => sort(title);
  title.onkeydown = (event) => event.key === 'Enter' ? sort(title) : undefined;
}
const box = document.getElementById('filter');
box.parentNode.hidden = false;
box.oninput = () => filter(box.value.trim());
