import { lines } from '../forms/fields.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { projectPage } from '../namespaces/project.ts';
import { type Kind, placeOf } from './kind.ts';

/** What is talked about: in the API, and as a page. */
interface Place {
  readonly url: string;
  readonly page: string;
}

type Wrap<Context> = (page: {
  readonly method: 'POST';
  readonly path: string;
  show(context: Context): Promise<Outcome>;
}) => Page;

/** Answers, changes and resolutions in the threads of whatever is talked about; `path` is the pattern of its page. */
export function talkPages<Context extends { readonly visit: Visit }>(
  path: string,
  wrap: Wrap<Context>,
  placeIn: (context: Context) => Place | Promise<Place>,
): Page[] {
  const post = (below: string, act: (visit: Visit, url: string) => Promise<string>) =>
    wrap({
      method: 'POST',
      path: `${path}${below}`,
      async show(context) {
        const { visit } = context;
        const { url, page } = await placeIn(context);
        const anchor = await act(visit, url);
        return { redirect: `${page}${visit.form.get('from') === 'diffs' ? '/diffs' : ''}${anchor}` };
      },
    });
  const text = ({ form }: Visit) => lines(form.get('note') ?? '');
  const threadOf = ({ params }: Visit) => encodeURIComponent(params.thread ?? '');
  return [
    post('/discussions/:thread/reply', async (visit, url) => {
      const sent = { body: text(visit) };
      const note = await visit.api.send('POST', `${url}/discussions/${threadOf(visit)}/notes`, sent);
      return `#note_${note.id}`;
    }),
    post('/discussions/:thread/resolve', async (visit, url) => {
      const resolved = visit.form.get('resolved') === 'true';
      await visit.api.send('PUT', `${url}/discussions/${threadOf(visit)}`, { resolved });
      return '';
    }),
    post('/notes/:id/edit', async (visit, url) => {
      await visit.api.send('PUT', `${url}/notes/${visit.params.id}`, { body: text(visit) });
      return `#note_${visit.params.id}`;
    }),
    post('/notes/:id/remove', async (visit, url) => {
      await visit.api.send('DELETE', `${url}/notes/${visit.params.id}`);
      return '';
    }),
  ];
}

export const discussionPages = (kind: Kind): Page[] =>
  talkPages(`/:project/-/${kind}/:iid`, projectPage, (context) => placeOf(context, kind));
