import { LRUCache } from 'lru-cache';
import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup, readableProject } from '../../access/subjects.ts';
import { htmlOf, renderTexts, type TextFile } from '../../planning/markdown/public.ts';
import { highlighter } from './highlight.ts';
import { type Html, html, trusted } from './html.ts';
import { actorOfVisit, type Visit } from './visit.ts';

/** The context of a text: a project path or a group. */
export type TextPlace = string | { readonly group: string };

/**
 * Renders Markdown as visible to the user. Calls the renderer directly, because `POST /markdown` requires
 * authentication and takes only one text; references are resolved with the same permissions.
 */
export async function renderAll(
  visit: Visit,
  place: TextPlace | undefined,
  texts: readonly string[],
  file?: TextFile,
): Promise<Html[]> {
  const reader = actorOfVisit(visit);
  const { services } = visit;
  const subject = place === undefined ? undefined : await subjectOf(services, reader, place);
  const drawn = await renderTexts(
    services,
    reader,
    subject,
    texts.map((text) => ({ text })),
    file,
  );
  const budget = { left: maxHighlighted };
  const coloured: Html[] = [];
  for (const text of drawn) coloured.push(framed(await highlighted(text, budget)));
  return coloured;
}

function subjectOf({ db }: Services, reader: Actor, place: TextPlace): Promise<ProjectOrGroup> {
  return typeof place === 'string' ? readableProject(db, reader, place) : readableGroup(db, reader, place.group);
}

const framed = (text: string): Html => html`<div class="text">${trusted(accessible(text))}</div>`;

/** Maximum number of highlighted characters per page; further code is shown without colours. */
const maxHighlighted = 100_000;

const codeBlock =
  /(<pre class="code highlight js-syntax-highlight language-([\w+#.-]+)"[^>]*><code>)([^<]+)(?=<\/code><\/pre>)/g;

/** Highlights code blocks that declare a language. */
async function highlighted(text: string, budget: { left: number }): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const { 0: whole, 1: opening = '', 2: language = '', 3: code = '', index } of text.matchAll(codeBlock)) {
    budget.left -= code.length;
    if (budget.left < 0) break;
    if (language === 'plaintext') continue;
    parts.push(text.slice(at, index), opening, await highlighter.piece(asWritten(code), language.toLowerCase()));
    at = index + whole.length;
  }
  return parts.join('') + text.slice(at);
}

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Unescapes code; highlighting escapes it again. */
const asWritten = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => characters[found] ?? found);

/** Cache of rendered texts without context. They contain no references, so entries never become stale. */
const alone = new LRUCache<string, Promise<Html>>({ max: 200 });

/** Renders a text that is on every page and the same for all users. */
export function renderAlone({ externalUrl }: Services, text: string): Promise<Html> {
  const key = `${externalUrl} ${text}`;
  const known = alone.get(key) ?? htmlOf(text, externalUrl).then(framed);
  alone.set(key, known);
  return known;
}

const chip = /<span style="background-color: ([^"<>;]+);"><\/span>/g;

/**
 * Adapts the API's HTML: improves accessibility (hidden anchors are not focusable, checkboxes have labels) and draws
 * colour chips as SVG, because inline styles are forbidden.
 */
function accessible(text: string): string {
  return text
    .replace(chip, '<svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="$1"/></svg>')
    .replaceAll('aria-hidden="true"></a>', 'aria-hidden="true" tabindex="-1"></a>')
    .replaceAll('class="task-list-item-checkbox"', 'class="task-list-item-checkbox" aria-label="Task"');
}

export async function renderOne(
  visit: Visit,
  place: TextPlace | undefined,
  text: string,
  file?: TextFile,
): Promise<Html> {
  const [drawn = html``] = await renderAll(visit, place, [text], file);
  return drawn;
}
