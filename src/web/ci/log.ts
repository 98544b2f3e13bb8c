import { refusalOf } from '../frame/api.ts';
import { size } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { LogDrawer, logTarget } from './ansi.ts';

/** Of a log that is longer, its end is shown. */
const maxShown = 200_000;

interface Excerpt {
  readonly text: string;
  /** Of the whole log. */
  readonly size: number;
  /** The byte that it begins with, and the one after it. */
  readonly start: number;
  readonly end: number;
}

/** A part of a log, by the header that asks for it; it ends with the last whole line, unless the log is over. */
async function readLog(
  { visit, api }: ProjectContext,
  id: number,
  range: string,
  isOver: boolean,
): Promise<Excerpt | undefined> {
  const answer = await visit.api.ask('GET', `${api}/jobs/${id}/trace`, {}, { range });
  if (answer.status === 416) return undefined;
  if (answer.status >= 300) throw refusalOf(answer);
  const [, first, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(answer.headers['content-range'] ?? '')) ?? [];
  const start = Number(first ?? 0);
  const total = Number(whole ?? answer.bytes.length);
  const reachesEnd = start + answer.bytes.length >= total;
  const lines = isOver && reachesEnd ? answer.bytes : answer.bytes.subarray(0, answer.bytes.lastIndexOf(10) + 1);
  return { text: lines.toString('utf8'), size: total, start, end: start + lines.length };
}

/** The log as far as it has come, and where it goes on; of a job that only somebody starts nothing is said. */
export async function logOf(
  context: ProjectContext,
  id: number,
  { isOver, waits }: { readonly isOver: boolean; readonly waits: boolean },
): Promise<Html> {
  const raw = `${context.visit.base}/api/v4/projects/${context.project.id}/jobs/${id}/trace`;
  const log = await readLog(context, id, `bytes=-${maxShown}`, isOver);
  const isCut = log !== undefined && log.start > 0;
  // The first line of what was cut out is seldom whole.
  const text = isCut ? log.text.slice(log.text.indexOf('\n') + 1) : (log?.text ?? '');
  const [piece] = new LogDrawer(!isCut).draw(text);
  const note = isCut
    ? html`The last ${size(maxShown)} of ${size(log.size)}: <a href="${raw}">the whole log</a>.`
    : log && log.size > 0
      ? html`<a href="${raw}">Raw log</a>`
      : isOver
        ? 'There is no log.'
        : waits && 'There is no log yet: it appears here as soon as a runner has taken the job.';
  return html`<p class="muted">${note}</p><div class="log" id="${logTarget}" role="log" aria-label="Log" tabindex="0" data-live-cursor="${isOver ? '' : (log?.end ?? 0)}">${trusted(piece?.html ?? '')}</div>`;
}

/** Draws what a log has become longer by, each time it is asked, from where the page or the lost connection stopped. */
export async function followLog(context: ProjectContext, id: number) {
  const { request, query } = context.visit;
  const wanted = Number(request.headers['last-event-id'] ?? query.get('live') ?? '0');
  let at = Number.isSafeInteger(wanted) && wanted >= 0 ? wanted : 0;
  const drawer = new LogDrawer(at <= maxShown);
  // What is in the page already says which sections are open, and which colour is on.
  if (at > 0) {
    const before = await readLog(context, id, `bytes=${Math.max(0, at - maxShown)}-${at - 1}`, false);
    drawer.draw(before?.text ?? '');
  }
  return async (isOver: boolean) => {
    const log = await readLog(context, id, `bytes=${at}-${at + maxShown - 1}`, isOver);
    const pieces = log ? drawer.draw(log.text) : [];
    at = log?.end ?? at;
    const messages = pieces.map(
      ({ target, html: drawn }) =>
        html`<turbo-stream action="append" target="${target}"><template>${trusted(drawn)}</template></turbo-stream>`,
    );
    return { messages, cursor: `${at}`, isWhole: log === undefined || log.end >= log.size };
  };
}
