import { lines } from '../forms/fields.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type Place, projectPage } from '../places/project.ts';

type Kind = 'issues' | 'merge_requests';

/** The thing that is talked about: in the API, and as a page. */
const about = ({ visit, api, home }: Place, kind: Kind) => ({
  url: `${api}/${kind}/${visit.params.iid}`,
  page: `${home}/-/${kind}/${visit.params.iid}`,
});

function back(place: Place, kind: Kind, anchor = ''): Outcome {
  const view = kind === 'merge_requests' && place.visit.form.get('from') === 'diffs' ? '/diffs' : '';
  return { redirect: `${about(place, kind).page}${view}${anchor}` };
}

const text = ({ visit }: Place) => lines(visit.form.get('note') ?? '');

/** Answers, changes and resolutions in the threads of issues and merge requests. */
export function talkPages(kind: Kind): Page[] {
  const path = `/:project/-/${kind}/:iid`;
  return [
    projectPage({
      method: 'POST',
      path: `${path}/discussions/:thread/reply`,
      async show(place) {
        const { url } = about(place, kind);
        const thread = encodeURIComponent(place.visit.params.thread ?? '');
        const note = await place.visit.api.send('POST', `${url}/discussions/${thread}/notes`, { body: text(place) });
        return back(place, kind, `#note_${note.id}`);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/discussions/:thread/resolve`,
      async show(place) {
        const { url } = about(place, kind);
        const thread = encodeURIComponent(place.visit.params.thread ?? '');
        const resolved = place.visit.form.get('resolved') === 'true';
        await place.visit.api.send('PUT', `${url}/discussions/${thread}`, { resolved });
        return back(place, kind);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/notes/:id/edit`,
      async show(place) {
        const { id } = place.visit.params;
        await place.visit.api.send('PUT', `${about(place, kind).url}/notes/${id}`, { body: text(place) });
        return back(place, kind, `#note_${id}`);
      },
    }),
    projectPage({
      method: 'POST',
      path: `${path}/notes/:id/remove`,
      async show(place) {
        await place.visit.api.send('DELETE', `${about(place, kind).url}/notes/${place.visit.params.id}`);
        return back(place, kind);
      },
    }),
  ];
}
