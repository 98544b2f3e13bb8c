// Sorting and filtering of JSON tables that enable it. Without scripts they are plain tables.

const rowsOf = (table: HTMLTableElement) => [...(table.tBodies[0]?.rows ?? [])];
const compared = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const isDescending = head.getAttribute('aria-sort') === 'ascending';
  for (const other of table.tHead?.rows[0]?.cells ?? []) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
  const text = (row: HTMLTableRowElement) => row.cells[head.cellIndex]?.textContent ?? '';
  const rows = rowsOf(table).sort((one, other) => compared.compare(text(one), text(other)));
  table.tBodies[0]?.append(...(isDescending ? rows.reverse() : rows));
}

function makeSortable(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain sort';
  button.append(...head.childNodes);
  button.addEventListener('click', () => sort(table, head));
  head.append(button);
}

function addFilter(table: HTMLTableElement): void {
  const field = document.createElement('input');
  field.type = 'search';
  field.className = 'table-filter';
  field.placeholder = 'Filter the rows';
  field.setAttribute('aria-label', `Filter the rows of ${table.caption?.textContent ?? 'the table'}`);
  field.addEventListener('input', () => {
    const letters = field.value.toLowerCase();
    for (const row of rowsOf(table)) row.hidden = !(row.textContent ?? '').toLowerCase().includes(letters);
  });
  table.before(field);
}

function enrich(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('.text table')) {
    for (const head of table.querySelectorAll<HTMLTableCellElement>('th[data-sortable]'))
      if (!head.querySelector('button.sort')) makeSortable(table, head);
    if (table.dataset.tableFilter !== undefined && !table.previousElementSibling?.matches('input.table-filter'))
      addFilter(table);
  }
}

/** Removes the controls: a page restored from the cache would have them without handlers. */
function undo(): void {
  for (const field of document.querySelectorAll('input.table-filter')) field.remove();
  for (const button of document.querySelectorAll('th button.sort')) button.replaceWith(...button.childNodes);
}

document.addEventListener('turbo:load', enrich);
document.addEventListener('turbo:before-cache', undo);
// A live update drops the controls.
document.addEventListener('turbo:morph-element', () => requestAnimationFrame(enrich));
