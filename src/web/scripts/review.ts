// Enhances reviewing: viewed marks and multi-line comments. Without scripts, links and forms do the same.

function updateViewedCount(): void {
  const place = document.querySelector('[data-viewed]');
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.file input.seen')];
  if (place) place.textContent = `${boxes.filter((box) => box.checked).length} of ${boxes.length} viewed`;
}

/** Saves the viewed mark; reverts the checkbox if that fails. */
async function saveViewed(box: HTMLInputElement, form: HTMLFormElement, file: Element): Promise<void> {
  const isViewed = box.checked;
  const show = (seen: boolean) => {
    box.checked = seen;
    file.classList.toggle('viewed', seen);
    updateViewedCount();
  };
  show(isViewed);
  if (isViewed) file.scrollIntoView({ block: 'nearest' });
  const proof = form.querySelector<HTMLInputElement>('[name="authenticity_token"]')?.value ?? '';
  const method = isViewed ? 'PUT' : 'DELETE';
  const headers = { 'x-csrf-token': proof };
  const answer = await fetch(`${document.body.dataset.api}${form.dataset.mark}`, { method, headers }).catch(
    () => undefined,
  );
  if (!answer?.ok) show(!isViewed);
}

document.addEventListener('change', ({ target: box }) => {
  if (!(box instanceof HTMLInputElement) || !box.matches('.file input.seen')) return;
  const file = box.closest('.file');
  if (box.form && file) void saveViewed(box, box.form, file);
});

/** A line of a diff: its row, line code and side. */
interface Line {
  readonly row: HTMLTableRowElement;
  readonly code: string;
  readonly side: 'new' | 'old' | 'same';
}

const sides: Readonly<Record<string, Line['side']>> = { add: 'new', spaces: 'new', del: 'old', same: 'same' };

function lineOf(link: HTMLAnchorElement): Line | undefined {
  const row = link.closest('tr');
  const kind = row?.className || link.closest('td')?.nextElementSibling?.className || '';
  const side = sides[kind];
  return row && side ? { row, side, code: link.hash.slice(1) } : undefined;
}

const numbersOf = ({ code, side }: Line) => {
  const [, before = '', after = ''] = code.split('_');
  return { old: side === 'new' ? '' : before, new: side === 'old' ? '' : after };
};

const numberOf = (line: Line) => numbersOf(line).new || numbersOf(line).old;

/** The open comment form, and the first line of its selection. */
let opened: { readonly form: HTMLFormElement; readonly first: Line; last: Line } | undefined;

function rowsBetween(first: Line, last: Line): HTMLTableRowElement[] {
  const rows: HTMLTableRowElement[] = [];
  for (let row: Element | null = first.row; row; row = row.nextElementSibling) {
    if (row instanceof HTMLTableRowElement && !row.matches('.remarks')) rows.push(row);
    if (row === last.row) return rows;
  }
  return [];
}

function unmark(): void {
  for (const row of document.querySelectorAll('.file tr.chosen')) row.classList.remove('chosen');
}

function closeForm(): void {
  unmark();
  const row = opened?.form.closest('tr');
  opened?.form.remove();
  if (row && row.querySelector('td')?.childElementCount === 0) row.remove();
  opened = undefined;
}

/** Returns the new text of the selected lines for a suggestion; undefined if one of them is a removed line. */
function newTexts(first: Line, last: Line): string[] | undefined {
  const texts = rowsBetween(first, last).map((row) => {
    const cell = row.lastElementChild;
    if (!cell || row.matches('.del, .hunk') || cell.matches('.none, [colspan]')) return undefined;
    return row.className === '' ? (cell.textContent ?? '') : (cell.textContent ?? '').slice(1);
  });
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined;
}

function suggest({ form, first, last }: NonNullable<typeof opened>): void {
  const field = form.querySelector('textarea');
  const texts = newTexts(first, last);
  if (!field || !texts) return;
  const fence = texts.some((text) => text.includes('```')) ? '`````' : '```';
  const text = `${fence}suggestion:-${texts.length - 1}+0\n${texts.join('\n')}\n${fence}\n`;
  field.focus();
  document.execCommand('insertText', false, text);
}

function fill(form: HTMLFormElement, first: Line, last: Line): void {
  const { path = '', oldPath = '' } = first.row.closest<HTMLElement>('.file')?.dataset ?? {};
  const numbers = numbersOf(last);
  const isRange = first.row !== last.row;
  const values: Readonly<Record<string, string>> = {
    old_path: oldPath,
    new_path: path,
    old_line: numbers.old,
    new_line: numbers.new,
    first: isRange ? `${first.code}:${first.side}` : '',
    last: isRange ? `${last.code}:${last.side}` : '',
  };
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = value;
  }
  const title = form.querySelector('label > span');
  const range = isRange ? `lines ${numberOf(first)} to ${numberOf(last)}` : `line ${numberOf(last)}`;
  if (title) title.textContent = `Comment on ${range}`;
  const field = form.querySelector('textarea');
  if (field) field.dataset.draft = `${path}:${numbers.old}:${numbers.new}`;
  const suggestion = form.querySelector<HTMLButtonElement>('button.suggest');
  if (suggestion) suggestion.hidden = newTexts(first, last) === undefined;
  unmark();
  if (isRange) for (const row of rowsBetween(first, last)) row.classList.add('chosen');
}

function addButton(form: HTMLFormElement, text: string, name: string, act: () => void): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.className = name;
  button.addEventListener('click', act);
  form.querySelector(':scope > .row:last-of-type')?.append(button);
}

/** Places the form below a line and its threads. */
function place(form: HTMLFormElement, { row }: Line): void {
  const next = row.nextElementSibling;
  if (next?.matches('.remarks')) {
    next.firstElementChild?.append(form);
    return;
  }
  const below = document.createElement('tr');
  below.className = 'remarks';
  const cell = document.createElement('td');
  cell.colSpan = row.cells.length;
  cell.append(form);
  below.append(cell);
  row.after(below);
}

function openForm(template: HTMLTemplateElement, line: Line): void {
  closeForm();
  const form = document.importNode(template.content, true).querySelector('form');
  if (!form) return;
  opened = { form, first: line, last: line };
  if (takesRanges(form)) addButton(form, 'Suggest a change', 'suggest', () => opened && suggest(opened));
  addButton(form, 'Cancel', 'cancel', closeForm);
  fill(form, line, line);
  place(form, line);
  form.querySelector('textarea')?.focus();
}

/** Comments on commits are on one line, and suggest nothing. */
const takesRanges = (form: HTMLFormElement) => form.elements.namedItem('first') !== null;

/** Extends the selection to another line of the same file. */
function extend(line: Line): void {
  if (!opened) return;
  const isBelow = rowsBetween(opened.first, line).length > 0;
  const first = isBelow ? opened.first : line;
  const last = isBelow ? line : opened.last;
  if (rowsBetween(first, last).length === 0) return;
  opened = { form: opened.form, first, last };
  fill(opened.form, first, last);
  const row = opened.form.closest('tr');
  place(opened.form, last);
  if (row && row.querySelector('td')?.childElementCount === 0) row.remove();
  opened.form.querySelector('textarea')?.focus();
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.file td.num a') : null;
  const template = document.getElementById('line-form');
  const line = link && lineOf(link);
  if (!line || !(template instanceof HTMLTemplateElement) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (event.shiftKey && opened && takesRanges(opened.form)) extend(line);
  else openForm(template, line);
});

// A page restored from the cache would have the form without its handlers.
document.addEventListener('turbo:before-cache', closeForm);
