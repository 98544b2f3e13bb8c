import type { SectionContext } from '../forms/collection.ts';
import { type Html, html } from '../frame/html.ts';
import type { Page, Visit } from '../frame/visit.ts';
import { projectPage } from '../namespaces/project.ts';
import { comment, type NoteablePaths } from '../planning/comment.ts';
import { commentForm } from '../planning/discussion.ts';
import { threadPages } from '../planning/discussion-pages.ts';
import { react, reactions } from '../planning/reactions.ts';
import { discussion } from '../planning/threads.ts';

const path = '/:project/-/snippets/:snippet';

interface Place {
  readonly visit: Visit;
  readonly api: string;
  readonly home: string;
}

function pathsOf({ visit, api, home }: Place, id = visit.params.snippet ?? ''): NoteablePaths {
  const snippet = `snippets/${encodeURIComponent(id)}`;
  return { url: `${api}/${snippet}`, page: `${home}/-/${snippet}` };
}

/** The reactions to a snippet of a project and its discussion; personal snippets have none. */
export async function snippetDiscussion(context: SectionContext, id: number): Promise<Html | undefined> {
  const { visit, project, markdown } = context;
  if (project === undefined || markdown === undefined) return undefined;
  const { url, page } = pathsOf(context, String(id));
  const [given, talk] = await Promise.all([
    reactions(visit, url, page),
    discussion(visit, { url, page, place: markdown }),
  ]);
  return html`${given}${talk}${!project.archived && commentForm(visit, `${page}/notes`)}`;
}

export const snippetCommentPages: readonly Page[] = [
  projectPage({
    method: 'POST',
    path: `${path}/notes`,
    show: (context) => comment(context.visit, pathsOf(context)),
  }),
  projectPage({
    method: 'POST',
    path: `${path}/reactions`,
    show: (context) => react(context.visit, pathsOf(context)),
  }),
  ...threadPages(path, projectPage, (context) => pathsOf(context)),
];
