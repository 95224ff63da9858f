// What a page can do where scripts run: a click on a title sorts its table by that column, words in the box above
// leave the rows that have all of them, each row has a link to itself, and any two nights of a history stand side by
// side. Pages are XML too, so no character that XML reserves may stand here.
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
  if (words) for (const fold of document.querySelectorAll('details:has(table)')) fold.open = true;
}

function makeSortable(table) {
  for (const title of table.querySelectorAll('th')) {
    title.tabIndex = 0;
    title.onclick = () => sort(title);
    title.onkeydown = (event) => event.key === 'Enter' ? sort(title) : undefined;
  }
}

function make(name, words, className) {
  const element = document.createElement(name);
  element.textContent = words ?? '';
  element.className = className ?? '';
  return element;
}

// Lines break between the words of a command, and not inside of an option.
function keepWords(element, words) {
  element.replaceChildren(...element.textContent.split(words).map((part, i) => i % 2 === 1 ? make('span', part) : part));
}

const numbersIn = (words) => words.trim().split(' ').map((word) => word === '-' ? NaN : Number(word));
function percent(change) {
  const rounded = Math.round(100 * change) / 100 || 0; // -0 is false
  return Number.isNaN(change) ? '-' : `${0 > rounded ? '' : '+'}${rounded.toFixed(2)} %`;
}

// A line through the percents of a series beside dashes at 0, and their range. A range under 1 % does not fill the
// height, so that noise looks small.
function drawSpark(place) {
  const all = numbersIn(place.dataset.nights.split('|')[0]), there = all.filter((value) => !Number.isNaN(value));
  if (there.length === 0) return;
  const low = Math.min(0, ...there), high = Math.max(0, ...there), half = Math.max(high - low, 1) / 2;
  const y = (value) => (10 - 8 * (value - (low + high) / 2) / half).toFixed(1), x = (i) => (2 + 116 * i / Math.max(all.length - 1, 1)).toFixed(1);
  const draw = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const drawing = draw('svg', {viewBox: '0 0 120 20'});
  const points = all.map((value, i) => Number.isNaN(value) ? '' : `${x(i)},${y(value)}`).join(' ');
  drawing.append(draw('path', {d: `M0 ${y(0)}h120`}), draw('polyline', {points}));
  place.replaceChildren(drawing, make('small', ` ${percent(Math.min(...there))} to ${percent(Math.max(...there))}`));
}

// ---- any two nightly runs of a history, side by side ----

function timeOf(ns) {
  if (Number.isNaN(ns)) return '-';
  const [size, unit] = ns > 1e6 ? [1e6, 'ms'] : ns > 1e3 ? [1e3, 'us'] : [1, 'ns'];
  return `${(ns / size).toPrecision(4)} ${unit}`;
}

// [title, meaning, class] of each column.
const pairColumns = [
  ['series', 'FAMILY/CASE/VARIANT', ''], ['first', 'time of one launch', 'right wide'], ['second', 'time of one launch', 'right wide'],
  ['times', 'second over first - 1; not paired, so clocks and GPUs are in it', 'right wide'],
  ['change', 'of the paired ratio, or of the time at one clock, without what GPU and driver differ by; more is slower', 'right'],
  ['spread', 'between nights', 'right'],
];

function pairOf(row, from, to) {
  const [changes, times] = row.querySelector('.spark').dataset.nights.split('|').map(numbersIn);
  const spread = valueOf(row.cells[4].textContent);
  const change = 100 * ((100 + changes[to]) / (100 + changes[from]) - 1);
  return {
    change, isOver: Math.abs(change) > spread,
    cells: [row.cells[0].textContent, timeOf(times[from]), timeOf(times[to]), percent(100 * (times[to] / times[from] - 1)), percent(change), row.cells[4].textContent],
  };
}

function addPair(body, pair) {
  const row = make('tr', '', !pair.isOver ? 'green' : pair.change > 0 ? 'red' : 'news');
  row.append(...pair.cells.map((words, i) => make('td', words, pairColumns[i][2])));
  body.append(row);
}

// The rows of both nights, the largest change first.
function showPair(picker) {
  const {from, to, only, said, table, series} = picker, body = table.tBodies[0];
  const pairs = series.map((row) => pairOf(row, from.selectedIndex, to.selectedIndex)).filter((pair) => pair.cells[1] !== '-' || pair.cells[2] !== '-');
  const over = pairs.filter((pair) => pair.isOver), size = (pair) => Number.isNaN(pair.change) ? -1 : Math.abs(pair.change);
  body.replaceChildren();
  for (const title of table.tHead.rows[0].cells) title.ariaSort = null;
  for (const pair of (only.checked ? over : pairs).sort((a, b) => size(b) - size(a))) addPair(body, pair);
  const slower = over.filter((pair) => pair.change > 0).length;
  said.textContent = `${slower} slower and ${over.length - slower} faster by more than their spread, of ${pairs.length} series with a time`;
  filter(box.value.trim());
}

// A link to two nights is #GROUP:FROM..TO.
function addPicker(table) {
  const rows = [...table.tBodies[0].rows], series = rows.filter((row) => row.querySelector('svg'));
  const group = rows[0].id.slice('series/'.length, -1 - rows[0].cells[0].textContent.length);
  const nights = [...document.querySelectorAll('table.nights tbody tr')].filter((row) => row.id.startsWith(`nights/${group}/`));
  if (nights.length === 1) return;
  const picker = {series, from: make('select'), to: make('select'), only: make('input'), said: make('p', '', 'aside'), table: make('table', '', 'pair rows')};
  const names = nights.map((row) => row.id.slice(`nights/${group}/`.length)), form = make('div', '', 'picker'), scroll = make('div', '', 'scroll');
  for (const select of [picker.from, picker.to])
    select.append(...nights.map((row) => make('option', [row.cells[0].textContent, row.cells[1].textContent.slice(0, 8), row.cells[2].textContent.slice(0, 8)].join(' '))));
  picker.from.selectedIndex = nights.length - 2;
  picker.to.selectedIndex = nights.length - 1;
  picker.only.type = 'checkbox';
  picker.only.checked = true;
  const read = () => {
    let hash = '';
    try {
      hash = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // a hash that is cut off, like #%
    }
    const [asked, pair] = hash.split(/:(.*)/s), at = (pair ?? '').split('..').map((name) => names.indexOf(name));
    if (asked !== group || at.length !== 2 || at.includes(-1) || (at[0] === picker.from.selectedIndex ? at[1] === picker.to.selectedIndex : false)) return;
    [picker.from.selectedIndex, picker.to.selectedIndex] = at;
    showPair(picker);
    form.scrollIntoView();
  };
  const head = picker.table.createTHead().insertRow();
  for (const [title, meaning, className] of pairColumns) head.append(Object.assign(make('th', title, className), {title: meaning}));
  picker.table.createTBody();
  makeSortable(picker.table);
  const label = (words, field) => {
    const element = make('label', `${words} `);
    element.append(field);
    field.oninput = () => {
      showPair(picker);
      location.replace(`#${group}:${names[picker.from.selectedIndex]}..${names[picker.to.selectedIndex]}`);
    };
    return element;
  };
  scroll.append(picker.table);
  form.append(make('h3', 'Compare any two nights'), label('first', picker.from), label('second', picker.to), label('only changes over the spread', picker.only), picker.said, scroll);
  table.closest('.scroll').before(form);
  showPair(picker);
  read();
  window.addEventListener('hashchange', read);
}

for (const place of document.querySelectorAll('.spark')) drawSpark(place);
for (const code of document.querySelectorAll('code')) keepWords(code, /([^ ]+)/);
for (const line of document.querySelectorAll('tr.below div')) if (line.children.length === 0) keepWords(line, /(--[a-z][^ ;,)]*)/);
for (const table of document.querySelectorAll('table')) makeSortable(table);
for (const row of document.querySelectorAll('tr[id]'))
  row.cells[0].append(Object.assign(make('a', '', 'here'), {href: `#${row.id}`, title: 'link to this row'}));
const box = document.getElementById('filter');
box.parentNode.hidden = false;
box.oninput = () => filter(box.value.trim());
for (const table of document.querySelectorAll('table.series')) addPicker(table);
