import { refusalOf } from '../frame/api.ts';
import { size } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { LogDrawer, logTarget } from './ansi.ts';

/** Only the last part of a longer log is shown. */
const maxShown = 200_000;

interface Excerpt {
  readonly text: string;
  /** Size of the whole log. */
  readonly size: number;
  /** Range of bytes: inclusive start, exclusive end. */
  readonly start: number;
  readonly end: number;
}

/** Reads a byte range of a log. It ends with the last complete line, unless the job is finished. */
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

/**
 * Renders the log so far, and the position where streaming continues. Shows nothing for a manual job that was not
 * started.
 */
export async function logOf(
  context: ProjectContext,
  id: number,
  { isOver, waits }: { readonly isOver: boolean; readonly waits: boolean },
): Promise<Html> {
  const raw = `${context.visit.base}/api/v4/projects/${context.project.id}/jobs/${id}/trace`;
  const log = await readLog(context, id, `bytes=-${maxShown}`, isOver);
  const isCut = log !== undefined && log.start > 0;
  // Skip the first line of an excerpt, which is usually incomplete.
  const text = isCut ? log.text.slice(log.text.indexOf('\n') + 1) : (log?.text ?? '');
  const [piece] = new LogDrawer(!isCut).draw(text);
  const note = isCut
    ? html`The last ${size(maxShown)} of ${size(log.size)}: <a href="${raw}">the whole log</a>.`
    : log && log.size > 0
      ? html`<a href="${raw}">Raw log</a>`
      : isOver
        ? 'No log.'
        : waits && 'No log yet. It appears here once a runner has picked up the job.';
  return html`<p class="muted">${note}</p><div class="log" id="${logTarget}" role="log" aria-label="Log" tabindex="0" data-live-cursor="${isOver ? '' : (log?.end ?? 0)}">${trusted(piece?.html ?? '')}</div>`;
}

/**
 * Returns a function that renders what was appended since the last call, starting where the page or the lost connection
 * ended.
 */
export async function followLog(context: ProjectContext, id: number) {
  const { request, query } = context.visit;
  const requested = Number(request.headers['last-event-id'] ?? query.get('live') ?? '0');
  let at = Number.isSafeInteger(requested) && requested >= 0 ? requested : 0;
  const drawer = new LogDrawer(at <= maxShown);
  // Replay what the page already shows, to restore the open sections and the colour.
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
