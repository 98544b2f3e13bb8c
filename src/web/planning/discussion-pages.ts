import { normalizeLineEndings } from '../forms/fields.ts';
import { returnAddress } from '../frame/return-to.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { projectPage } from '../namespaces/project.ts';
import { commandNotice, type NoteablePaths } from './comment.ts';
import { type Kind, noteablePaths } from './kind.ts';

type Wrap<Context> = (page: {
  readonly method: 'POST';
  readonly path: string;
  show(context: Context): Promise<Outcome>;
}) => Page;

/** The note to redirect to, and the message to show. */
interface Done {
  readonly note?: unknown;
  readonly notice?: string;
}

/** Handlers for replying, editing and resolving in the threads of a noteable; `path` is the pattern of its page. */
export function threadPages<Context extends { readonly visit: Visit }>(
  path: string,
  wrap: Wrap<Context>,
  placeIn: (context: Context) => NoteablePaths | Promise<NoteablePaths>,
): Page[] {
  const post = (below: string, act: (visit: Visit, url: string) => Promise<Done>) =>
    wrap({
      method: 'POST',
      path: `${path}${below}`,
      async show(context) {
        const { visit } = context;
        const { url, page } = await placeIn(context);
        const { note, ...notice } = await act(visit, url);
        const view = visit.form.get('from') === 'diffs' ? '/diffs' : '';
        return { redirect: returnAddress(visit, page + view) + (note === undefined ? '' : `#note_${note}`), ...notice };
      },
    });
  const text = ({ form }: Visit) => normalizeLineEndings(form.get('note') ?? '');
  const threadOf = ({ params }: Visit) => encodeURIComponent(params.thread ?? '');
  const noteAt = ({ form, params }: Visit, url: string) => {
    const thread = form.get('thread');
    return `${url}${thread ? `/discussions/${encodeURIComponent(thread)}` : ''}/notes/${params.id}`;
  };
  return [
    post('/discussions/:thread/reply', async (visit, url) => {
      const sent = { body: text(visit) };
      const created = await visit.api.send('POST', `${url}/discussions/${threadOf(visit)}/notes`, sent);
      return { note: created.id, ...commandNotice(created) };
    }),
    post('/discussions/:thread/resolve', async (visit, url) => {
      const resolved = visit.form.get('resolved') === 'true';
      const { notes } = await visit.api.send('PUT', `${url}/discussions/${threadOf(visit)}`, { resolved });
      return { note: notes[0].id };
    }),
    post('/notes/:id/edit', async (visit, url) => {
      await visit.api.send('PUT', noteAt(visit, url), { body: text(visit) });
      return { note: visit.params.id };
    }),
    post('/notes/:id/remove', async (visit, url) => {
      await visit.api.send('DELETE', noteAt(visit, url));
      return {};
    }),
  ];
}

export const discussionPages = (kind: Kind): Page[] =>
  threadPages(`/:project/-/${kind}/:iid`, projectPage, (context) => noteablePaths(context, kind));
