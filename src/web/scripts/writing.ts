// Enhances Markdown fields. Without scripts the plain field submits the same.

interface Place {
  readonly project?: number;
  readonly group?: number;
  readonly path?: string;
}

const placeOf = () => JSON.parse(document.body.dataset.place ?? '{}') as Place;

/** API path for uploads in the context of the page, if any. */
function uploadsOf({ project, group }: Place): string | undefined {
  if (project !== undefined) return `/projects/${project}/uploads`;
  return group === undefined ? undefined : `/groups/${group}/uploads`;
}

/** The toolbar comes after the label: clicks inside the label would focus the field. */
const aroundOf = (field: HTMLTextAreaElement): HTMLElement => field.closest('label') ?? field;

const barOf = (field: HTMLTextAreaElement) => aroundOf(field).parentElement?.querySelector(':scope > .writing');

const proofOf = (field: HTMLTextAreaElement) =>
  field.form?.querySelector<HTMLInputElement>('input[name="authenticity_token"]')?.value ?? '';

/** Calls the API with the user's session and the form's CSRF token. */
async function send(field: HTMLTextAreaElement, path: string, body: BodyInit, type?: string): Promise<Response> {
  const headers = { 'x-csrf-token': proofOf(field), ...(type !== undefined && { 'content-type': type }) };
  return fetch(`${document.body.dataset.api}${path}`, { method: 'POST', headers, body });
}

/** Inserts text at the cursor as if typed, so that drafts and undo work. */
function type(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  document.execCommand('insertText', false, text);
}

function replace(field: HTMLTextAreaElement, before: string, after: string): void {
  const at = field.value.indexOf(before);
  if (at < 0) return;
  field.setRangeText(after, at, at + before.length, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

function showProblem(field: HTMLTextAreaElement, text: string): void {
  const place = barOf(field)?.querySelector('[role="status"]');
  if (place) place.textContent = text;
}

async function attach(field: HTMLTextAreaElement, files: Iterable<File>): Promise<void> {
  const uploads = uploadsOf(placeOf());
  if (uploads === undefined) return;
  for (const file of files) {
    const waiting = `[Uploading ${file.name.replaceAll(/[[\]]/g, '')}…]()`;
    type(field, waiting);
    showProblem(field, '');
    const form = new FormData();
    form.set('file', file);
    const answer = await send(field, uploads, form).catch(() => undefined);
    const result = await answer?.json().catch(() => undefined);
    replace(field, waiting, answer?.ok ? result.markdown : '');
    if (!answer?.ok)
      showProblem(field, `${file.name} was not uploaded${result?.message ? `: ${result.message}` : '.'}`);
  }
}

async function preview(field: HTMLTextAreaElement, button: HTMLButtonElement): Promise<void> {
  const around = aroundOf(field);
  const shown = around.nextElementSibling;
  if (shown?.matches('.preview')) {
    shown.remove();
    around.hidden = false;
    field.focus();
    button.textContent = 'Preview';
    return;
  }
  const { group, path } = placeOf();
  const kind = group === undefined ? 'project' : 'group';
  const request = JSON.stringify({ text: field.value, gfm: true, ...(path !== undefined && { [kind]: path }) });
  const answer = await send(field, '/markdown', request, 'application/json').catch(() => undefined);
  if (!answer?.ok) return showProblem(field, 'The preview is not available.');
  const place = document.createElement('div');
  place.className = 'text preview';
  place.innerHTML = (await answer.json()).html || '<p class="muted">Nothing to show.</p>';
  around.hidden = true;
  around.after(place);
  button.textContent = 'Write';
  button.focus();
}

function addButton(bar: Element, text: string, act: (button: HTMLButtonElement) => void): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', () => act(button));
  bar.append(button);
}

function dress(field: HTMLTextAreaElement): void {
  const around = aroundOf(field);
  if (barOf(field)) return;
  const bar = document.createElement('div');
  bar.className = 'row writing';
  addButton(bar, 'Preview', (button) => preview(field, button));
  bar.firstElementChild?.setAttribute('aria-keyshortcuts', 'Control+Shift+P');
  if (uploadsOf(placeOf()) !== undefined) {
    const chooser = document.createElement('input');
    chooser.type = 'file';
    chooser.multiple = true;
    chooser.hidden = true;
    chooser.addEventListener('change', async () => {
      await attach(field, chooser.files ?? []);
      chooser.value = '';
    });
    bar.append(chooser);
    addButton(bar, 'Attach files', () => chooser.click());
  }
  const status = document.createElement('span');
  status.setAttribute('role', 'status');
  bar.append(status);
  around.after(bar);
}

function dressAll(): void {
  for (const field of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-markdown]')) dress(field);
}

const writtenIn = ({ target }: Event) =>
  target instanceof HTMLTextAreaElement && target.matches('[data-markdown]') ? target : undefined;

function takeFiles(event: Event, data: DataTransfer | null): void {
  const field = writtenIn(event);
  if (!field || !data || data.files.length === 0 || uploadsOf(placeOf()) === undefined) return;
  event.preventDefault();
  attach(field, [...data.files]);
}

document.addEventListener('paste', (event) => takeFiles(event, event.clipboardData));
document.addEventListener('drop', (event) => takeFiles(event, event.dataTransfer));

/** Markup around the selected text, by Ctrl key. */
const marks: Readonly<Record<string, readonly [before: string, after: string]>> = {
  b: ['**', '**'],
  i: ['_', '_'],
  k: ['[', '](url)'],
};

document.addEventListener('keydown', (event) => {
  const field = writtenIn(event);
  if (!field || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  const mark = marks[event.key];
  if (!mark) return;
  event.preventDefault();
  const { selectionStart: from, selectionEnd: until, value } = field;
  type(field, `${mark[0]}${value.slice(from, until)}${mark[1]}`);
  if (from === until) field.setSelectionRange(from + mark[0].length, from + mark[0].length);
});

document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.key.toLowerCase() !== 'p') return;
  const field = writtenIn(event);
  const bar = field ? barOf(field) : event.target instanceof Element && event.target.closest('.writing');
  const button = bar ? bar.querySelector<HTMLElement>('[aria-keyshortcuts]') : undefined;
  if (!button) return;
  event.preventDefault();
  button.click();
});

// A page restored from the cache would have these without handlers.
document.addEventListener('turbo:before-cache', () => {
  for (const shown of document.querySelectorAll('.preview')) {
    if (shown.previousElementSibling instanceof HTMLElement) shown.previousElementSibling.hidden = false;
    shown.remove();
  }
  for (const bar of document.querySelectorAll('.writing')) bar.remove();
});
// Live updates keep the toolbar and the preview.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target instanceof Element && event.target.matches('.writing, .preview')) event.preventDefault();
});
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ attributeName: string }>).detail;
  const isPreviewed = event.target instanceof Element && event.target.nextElementSibling?.matches('.preview');
  if (isPreviewed && attributeName === 'hidden') event.preventDefault();
});
// Fields created by another script.
document.addEventListener('focusin', (event) => {
  const field = writtenIn(event);
  if (field) dress(field);
});
document.addEventListener('turbo:load', dressAll);
document.addEventListener('turbo:frame-load', dressAll);
document.addEventListener('turbo:morph-element', () => requestAnimationFrame(dressAll));
