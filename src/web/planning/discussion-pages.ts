import { lines } from '../forms/fields.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { type Kind, placeOf } from './kind.ts';

function back(context: ProjectContext, kind: Kind, anchor = ''): Outcome {
  const view = kind === 'merge_requests' && context.visit.form.get('from') === 'diffs' ? '/diffs' : '';
  return { redirect: `${placeOf(context, kind).page}${view}${anchor}` };
}

const text = ({ visit }: ProjectContext) => lines(visit.form.get('note') ?? '');

/** Answers, changes and resolutions in the threads of issues and merge requests. */
export function discussionPages(kind: Kind): Page[] {
  const path = `/:project/-/${kind}/:iid`;
  return [
    projectPage({
      method: 'POST',
      path: `${path}/discussions/:thread/reply`,
      async show(context) {
        const { url } = placeOf(context, kind);
        const thread = encodeURIComponent(context.visit.params.thread ?? '');
        const note = await context.visit.api.send('POST', `${url}/discussions/${thread}/notes`, {
          body: text(context),
        });
        return back(context, kind, `#note_${note.id}`);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/discussions/:thread/resolve`,
      async show(context) {
        const { url } = placeOf(context, kind);
        const thread = encodeURIComponent(context.visit.params.thread ?? '');
        const resolved = context.visit.form.get('resolved') === 'true';
        await context.visit.api.send('PUT', `${url}/discussions/${thread}`, { resolved });
        return back(context, kind);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/notes/:id/edit`,
      async show(context) {
        const { id } = context.visit.params;
        await context.visit.api.send('PUT', `${placeOf(context, kind).url}/notes/${id}`, { body: text(context) });
        return back(context, kind, `#note_${id}`);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/notes/:id/remove`,
      async show(context) {
        await context.visit.api.send('DELETE', `${placeOf(context, kind).url}/notes/${context.visit.params.id}`);
        return back(context, kind);
      },
    }),
  ];
}
