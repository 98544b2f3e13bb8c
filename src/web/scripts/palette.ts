// Ctrl+K: the command palette. Everything in it is also reachable by links.

interface Place {
  readonly text: string;
  readonly about: string;
  readonly href: string;
}

let dialog: HTMLDialogElement | undefined;
let requestCount = 0;

/** Links of the current page: tabs, menus and breadcrumbs. */
function ownPlaces(): Place[] {
  const places = new Map<string, Place>();
  const groups = [
    ['.tabs a', 'section'],
    ['.views a', 'view'],
    ['header.top nav a', ''],
    ['.crumbs a', ''],
  ] as const;
  for (const [links, about] of groups) {
    for (const link of document.querySelectorAll<HTMLAnchorElement>(links)) {
      const text = link.textContent?.trim() ?? '';
      if (text !== '' && !places.has(link.href)) places.set(link.href, { text, about, href: link.href });
    }
  }
  return [...places.values()];
}

/** Fuzzy match: returns how far apart the letters are in the text, in order; less is better. */
function distance(text: string, letters: string): number {
  let [at, first] = [-1, -1];
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return Number.POSITIVE_INFINITY;
    if (first < 0) first = at;
  }
  return at - first;
}

function fitting(places: readonly Place[], words: string): Place[] {
  const letters = words.toLowerCase().replaceAll(/\s/g, '');
  const rated = places.map((place) => ({ place, far: distance(place.text.toLowerCase(), letters) }));
  return rated
    .filter(({ far }) => far < letters.length + 6)
    .sort((one, other) => one.far - other.far)
    .map(({ place }) => place);
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answers
type Found = any;

async function askFor(path: string, draw: (found: Found) => Place): Promise<Place[]> {
  const answer = await fetch(`${document.body.dataset.api}${path}`).catch(() => undefined);
  const found: unknown = answer?.ok ? await answer.json() : [];
  return Array.isArray(found) ? found.map(draw) : [];
}

/** Searches the server: issues and merge requests of the current project, projects and groups. */
async function foundPlaces(words: string): Promise<Place[]> {
  const { project } = JSON.parse(document.body.dataset.place ?? '{}') as { project?: number };
  const [, sign = '', name = words] = /^([#!]?)(.+)$/.exec(words) ?? [];
  const search = encodeURIComponent(name);
  const items = (kind: string, mark: string) => {
    if (project === undefined || (sign !== '' && sign !== mark)) return [];
    const query = /^\d+$/.test(name) ? `iids[]=${name}` : `in=title&order_by=updated_at&per_page=4&search=${search}`;
    const draw = ({ iid, title, web_url }: Found) => ({ text: title, about: `${mark}${iid}`, href: web_url });
    return askFor(`/projects/${project}/${kind}?${query}`, draw);
  };
  const named = (kind: string, about: string, query: string, draw: (found: Found) => string) =>
    sign === ''
      ? askFor(`/${kind}?per_page=4&search=${search}${query}`, (found) => ({
          text: draw(found),
          about,
          href: found.web_url,
        }))
      : [];
  const all = await Promise.all([
    items('issues', '#'),
    items('merge_requests', '!'),
    named('projects', 'project', '&simple=true&order_by=last_activity_at', (found) => found.path_with_namespace),
    named('groups', 'group', '', (found) => found.full_path),
  ]);
  return all.flat();
}

function draw(list: HTMLElement, places: readonly Place[]): void {
  list.replaceChildren(
    ...places.slice(0, 12).map(({ text, about, href }, at) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = href;
      link.id = `palette-${at}`;
      link.tabIndex = -1;
      link.setAttribute('role', 'option');
      link.setAttribute('aria-selected', String(at === 0));
      const kind = document.createElement('span');
      kind.textContent = about;
      link.append(text, kind);
      item.setAttribute('role', 'presentation');
      item.append(link);
      return item;
    }),
  );
}

const options = () => [...(dialog?.querySelectorAll<HTMLAnchorElement>('[role="option"]') ?? [])];
const chosen = () => options().find((option) => option.getAttribute('aria-selected') === 'true');

function choose(option: HTMLAnchorElement | undefined, field: HTMLInputElement): void {
  if (!option) return;
  for (const one of options()) one.setAttribute('aria-selected', String(one === option));
  field.setAttribute('aria-activedescendant', option.id);
  option.scrollIntoView({ block: 'nearest' });
}

async function update(field: HTMLInputElement, list: HTMLElement): Promise<void> {
  requestCount += 1;
  const turn = requestCount;
  const words = field.value.trim();
  const own = fitting(ownPlaces(), words);
  draw(list, own);
  choose(options()[0], field);
  if (words.length < 2) return;
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (turn !== requestCount) return;
  const found = await foundPlaces(words);
  if (turn !== requestCount) return;
  const known = new Set(own.map(({ href }) => href));
  const best = chosen()?.href;
  draw(list, [...own.slice(0, 5), ...found.filter(({ href }) => !known.has(href))]);
  choose(options().find(({ href }) => href === best) ?? options()[0], field);
}

function onKey(event: KeyboardEvent, field: HTMLInputElement): void {
  const all = options();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && all.length > 0) {
    event.preventDefault();
    const at = all.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    choose(all[(at + step + all.length) % all.length], field);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    const link = chosen();
    if (!link) return;
    dialog?.close();
    Turbo.visit(link.href);
  }
}

function open(): void {
  dialog?.remove();
  dialog = document.createElement('dialog');
  dialog.className = 'palette';
  dialog.setAttribute('aria-label', 'Go to');
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Go to a project, a page, #issue or !request';
  field.setAttribute('aria-label', field.placeholder);
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-expanded', 'true');
  field.setAttribute('aria-controls', 'palette-list');
  field.autocomplete = 'off';
  const list = document.createElement('ul');
  list.id = 'palette-list';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Places');
  field.addEventListener('input', () => update(field, list));
  field.addEventListener('keydown', (event) => onKey(event, field));
  const shown = dialog;
  shown.addEventListener('click', ({ target }) => {
    if (target === shown || (target instanceof Element && target.closest('a'))) shown.close();
  });
  shown.append(field, list);
  document.body.append(shown);
  shown.showModal();
  update(field, list);
  field.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  // In Markdown fields this shortcut inserts a link.
  if (event.target instanceof Element && event.target.matches('[data-markdown]')) return;
  event.preventDefault();
  open();
});
document.addEventListener('turbo:before-cache', () => {
  dialog?.remove();
  dialog = undefined;
});
