// Completes references while they are typed.

interface Offer {
  /** The text to insert. */
  readonly text: string;
  /** The description next to it. */
  readonly about: string;
}

interface Source {
  readonly path: (word: string) => string;
  // biome-ignore lint/suspicious/noExplicitAny: what the API answers
  readonly offer: (found: any) => Offer;
}

const numbered = (kind: string, sign: string): Source => ({
  path: (word) =>
    /^\d+$/.test(word)
      ? `/${kind}?iids[]=${word}`
      : `/${kind}?in=title&order_by=updated_at&per_page=6&search=${encodeURIComponent(word)}`,
  offer: ({ iid, title }) => ({ text: `${sign}${iid}`, about: title }),
});

const named = (sign: string, name: string) =>
  /^[\w.-]+$/.test(name) ? `${sign}${name}` : `${sign}"${name.replaceAll('"', '')}"`;

const sources: Readonly<Record<string, Source>> = {
  '@': {
    path: (word) => `/users?per_page=6&search=${encodeURIComponent(word)}`,
    offer: ({ username, name }) => ({ text: `@${username}`, about: name }),
  },
  '#': numbered('issues', '#'),
  '!': numbered('merge_requests', '!'),
  '~': {
    path: (word) => `/labels?per_page=6&search=${encodeURIComponent(word)}`,
    offer: ({ name, description }) => ({ text: named('~', name), about: description ?? '' }),
  },
  '%': {
    path: (word) => `/milestones?per_page=6&state=active&search=${encodeURIComponent(word)}`,
    offer: ({ title }) => ({ text: named('%', title), about: '' }),
  },
};

/** A sigil after whitespace, and the text between it and the cursor. */
const reference = /(?:^|[\s(])([@#!~%])([\p{L}\p{N}._-]{1,50})$/u;

let list: HTMLUListElement | undefined;
let requestCount = 0;

function close(): void {
  requestCount += 1;
  list?.remove();
  list = undefined;
  const field = document.activeElement;
  field?.removeAttribute('aria-activedescendant');
  field?.removeAttribute('aria-controls');
}

function choose(field: HTMLTextAreaElement, text: string): void {
  const found = reference.exec(field.value.slice(0, field.selectionStart));
  const at = field.selectionStart;
  close();
  if (!found) return;
  field.focus();
  field.setSelectionRange(at - 1 - (found[2]?.length ?? 0), at);
  document.execCommand('insertText', false, `${text} `);
}

function mark(field: HTMLTextAreaElement, chosen: Element): void {
  for (const item of list?.children ?? []) item.setAttribute('aria-selected', String(item === chosen));
  field.setAttribute('aria-activedescendant', chosen.id);
}

function show(field: HTMLTextAreaElement, offers: readonly Offer[]): void {
  close();
  if (offers.length === 0) return;
  list = document.createElement('ul');
  list.id = 'completion';
  list.className = 'completion';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Completions');
  offers.forEach(({ text, about }, at) => {
    const item = document.createElement('li');
    item.id = `completion-${at}`;
    item.dataset.text = text;
    item.setAttribute('role', 'option');
    const name = document.createElement('strong');
    name.textContent = text;
    item.append(name, ' ', about);
    // `mousedown` fires before the field loses focus.
    item.addEventListener('mousedown', (event) => {
      event.preventDefault();
      choose(field, text);
    });
    list?.append(item);
  });
  (field.closest('label') ?? field).after(list);
  field.setAttribute('aria-controls', list.id);
  if (list.firstElementChild) mark(field, list.firstElementChild);
}

async function offer(field: HTMLTextAreaElement): Promise<void> {
  const found = reference.exec(field.value.slice(0, field.selectionStart));
  const { project } = JSON.parse(document.body.dataset.place ?? '{}') as { project?: number };
  const source = sources[found?.[1] ?? ''];
  if (!source || project === undefined) return close();
  requestCount += 1;
  const turn = requestCount;
  // Debounces requests during typing.
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (turn !== requestCount) return;
  const address = `${document.body.dataset.api}/projects/${project}${source.path(found?.[2] ?? '')}`;
  const answer = await fetch(address).catch(() => undefined);
  const rows = answer?.ok ? await answer.json() : [];
  if (turn === requestCount) show(field, rows.map(source.offer));
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches('[data-markdown]')) offer(target);
});
document.addEventListener('focusout', close);
document.addEventListener('turbo:before-cache', close);

function onKey(event: KeyboardEvent): void {
  const field = event.target;
  if (!list || !(field instanceof HTMLTextAreaElement)) return;
  const items = [...list.children];
  const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true');
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const next = items[(at + (step ?? 0) + items.length) % items.length];
  if (step !== undefined && next) mark(field, next);
  else if (event.key === 'Escape') close();
  else if ((event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey)
    choose(field, (items[at] as HTMLElement | undefined)?.dataset.text ?? '');
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Capturing handles these keys before the page's shortcuts.
document.addEventListener('keydown', onKey, { capture: true });
