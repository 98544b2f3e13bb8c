import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { atomFeed } from '../frame/atom.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager, paginateList, withQuery } from '../frame/paging.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound } from '../namespaces/project.ts';
import { asksForFiles, changesShortcuts, isPart, wholeFileList } from './changed-files.ts';
import { pickLinks } from './cherry-pick.ts';
import { commitComments } from './commit-comments.ts';
import { diffFiles, expandedFiles } from './diff.ts';
import { type DiffPreferences, diffPreferences } from './diff-preferences.ts';
import { commitLine, pathLinks } from './file-frame.ts';
import { isBinary } from './pictures.ts';
import { type PathAtRef, splitRef } from './ref.ts';

const perPage = 40;
const maxCommits = 100;
const maxFiles = 50;

const commitItem = (context: ProjectContext) => (commit: Entity) => html`<li>${commitLine(context, commit)}</li>`;

export async function commitsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const address = visit.params.address ?? project.default_branch ?? 'HEAD';
  const isFeed = visit.query.get('format') === 'atom';
  if (project.empty_repo === true) return { redirect: home };
  const at = await splitRef(context, address);
  const follow = visit.query.get('follow') === '1';
  const query = {
    ref_name: at.ref,
    path: at.path,
    per_page: perPage,
    page: pageOf(visit),
    author: visit.query.get('author'),
    follow,
  };
  const [answer, isFolder] = await Promise.all([
    visit.api.page(`${api}/repository/commits`, query),
    at.path === '' || holdsFiles(context, at),
  ]);
  if (isFeed) return commitFeed(context, at, answer.body);
  const mayGoOn = !follow && !isFolder && answer.body.length < perPage;
  const feed = `${home}/-/commits/${encodePath(address)}?format=atom`;
  const body = html`<h1>Commits</h1>${pathLinks(context, at, 'commits')}<p><a href="${feed}">Feed</a></p>${history(visit, html`${listOr(answer.body, commitItem(context), 'No commits.')}${pager(visit, answer)}`, mayGoOn)}`;
  const head = html`<link rel="alternate" type="application/atom+xml" title="Commits" href="${feed}">`;
  const crumb = at.path || at.ref;
  return inProject(context, { title: `Commits of ${crumb}`, crumb, tab: 'commits', body, head });
}

async function holdsFiles({ visit, api }: ProjectContext, at: PathAtRef): Promise<boolean> {
  const entries = await visit.api.maybe(`${api}/repository/tree`, { ref: at.commit.id, path: at.path, per_page: 1 });
  return entries !== undefined && entries.length > 0;
}

/**
 * Following renames is slow, because git compares the file with every other one. The history under the current name is
 * shown at once, and the rest is loaded afterwards.
 */
function history(visit: Visit, listed: Html, mayGoOn: boolean): Html {
  if (!mayGoOn) return html`<turbo-frame id="history" target="_top">${listed}</turbo-frame>`;
  const followed = withQuery(visit, { follow: '1', page: undefined });
  return html`<turbo-frame id="history" target="_top" src="${followed}" data-keep>${listed}<p class="muted"><a href="${followed}">Follow renames</a></p></turbo-frame>`;
}

function commitFeed({ visit, project, home }: ProjectContext, at: PathAtRef, commits: readonly Entity[]): Outcome {
  return atomFeed(visit, {
    title: `${project.name} at ${at.ref}`,
    href: `${home}/-/commits/${encodePath(at.ref)}`,
    entries: commits.map((commit) => ({
      href: `${home}/-/commit/${commit.id}`,
      title: commit.title,
      at: commit.committed_date,
      author: commit.author_name,
      text: commit.message,
    })),
  });
}

/** The list of all changed files, without the diff. */
function filesPage(
  context: ProjectContext,
  title: string,
  files: readonly Entity[],
  { filesOnPage }: DiffPreferences,
): Outcome {
  const body = html`<h1>${title}</h1>${wholeFileList(context.visit, files, filesOnPage)}`;
  return inProject(context, { title, tab: 'commits', body, shortcuts: changesShortcuts });
}

export async function commitPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const sha = visit.params.sha ?? '';
  const url = `${api}/repository/commits/${encodeURIComponent(sha)}`;
  const preferred = await diffPreferences(visit, maxFiles);
  if (asksForFiles(visit))
    return filesPage(context, `Files of ${sha.slice(0, 8)}`, await visit.api.get(`${url}/diff_stats`), preferred);
  const [commit, diff, signature, whole] = await Promise.all([
    // The statistics are counted from the diff instead of requesting them from git again.
    visit.api.get(url, { stats: false }),
    visit.api.page(`${url}/diff`, { per_page: preferred.filesOnPage, page: pageOf(visit) }),
    visit.api.maybe(`${url}/signature`),
    expandedFiles(context, sha),
  ]);
  const all = isPart(visit, diff.headers) ? await visit.api.get(`${url}/diff_stats`) : undefined;
  const { remarks, discussion } = await commitComments(context, commit.id);
  const rest = commit.message.split('\n').slice(1).join('\n').trim();
  const parents = commit.parent_ids.map(
    (id: string) => html` <a class="sha" href="${home}/-/commit/${id}">${id.slice(0, 8)}</a>`,
  );
  const files = await diffFiles(diff.body, {
    visit,
    home,
    before: commit.parent_ids[0],
    sha: commit.id,
    whole,
    all,
    remarks,
    ...preferred,
  });
  const body = html`<div class="row"><h1>${commit.title}</h1><span class="end">${pickLinks(context, commit.id)}</span></div>${rest !== '' && html`<pre class="box"><code class="inner">${rest}</code></pre>`}
<p class="row"><span>${commit.author_name} ${relativeTime(commit.authored_date)}</span>${commit.committer_email !== commit.author_email && html`<span>committed by ${commit.committer_name} ${relativeTime(commit.committed_date)}</span>`}${signature && badge(signature.verification_status === 'verified_system' ? 'verified' : signature.verification_status)}${commit.last_pipeline && html`<span><a href="${home}/-/pipelines/${commit.last_pipeline.id}">Pipeline</a> ${badge(commit.last_pipeline.status)}</span>`}</p>
<p class="muted">Commit <code data-copy="${commit.id}">${commit.id}</code>${parents.length > 0 && html`, parents${parents}`} · <a href="${home}/-/tree/${commit.id}">Browse files</a></p>${files}${pager(visit, diff)}${discussion()}`;
  return inProject(context, { title: commit.title, tab: 'commits', body, shortcuts: changesShortcuts });
}

/** Returns the merge base of two refs; needed only to show the old version of an image. */
async function baseOf({ visit, api }: ProjectContext, files: readonly Entity[], refs: readonly string[]) {
  return files.some(isBinary) ? visit.api.maybe(`${api}/repository/merge_base`, { refs: refs.join(',') }) : undefined;
}

export async function comparePage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const typed = [visit.query.get('from'), visit.query.get('to')];
  if (typed[0] && typed[1]) return { redirect: `${home}/-/compare/${encodePath(typed[0])}...${encodePath(typed[1])}` };
  const address = visit.params.address ?? '';
  const dots = address.includes('...') ? '...' : '..';
  const [from = '', to = ''] = address.split(dots, 2);
  const form = html`<form class="filters" action="${home}/-/compare"><label>From<input name="from" value="${from || project.default_branch}" required></label><label>To<input name="to" value="${to}" required></label><button>Compare</button></form>`;
  if (from === '' || to === '')
    return inProject(context, { title: 'Compare', tab: 'commits', body: html`<h1>Compare</h1>${form}` });
  const url = `${api}/repository/compare`;
  const sides = { from, to, straight: dots === '..' };
  const preferred = await diffPreferences(visit, maxFiles);
  if (asksForFiles(visit)) {
    const files = await visit.api.maybe(`${url}/diff_stats`, sides);
    if (!files) throw pageNotFound();
    return filesPage(context, `${from} ${dots} ${to}`, files, preferred);
  }
  const [compared, whole] = await Promise.all([visit.api.maybe(url, sides), expandedFiles(context, to)]);
  if (!compared) throw pageNotFound();
  const commits: readonly Entity[] = [...compared.commits].reverse();
  const shown = paginateList<Entity>(visit, compared.diffs, preferred.filesOnPage);
  const all = isPart(visit, shown.headers) ? await visit.api.get(`${url}/diff_stats`, sides) : undefined;
  const base = dots === '..' ? { id: from } : await baseOf(context, shown.body, [from, to]);
  const more =
    commits.length > maxCommits && html`<p class="muted">The latest ${maxCommits} of ${commits.length} are shown.</p>`;
  const body = html`<h1>Compare</h1>${form}${listOr(commits.slice(0, maxCommits), commitItem(context), 'No new commits.')}${more}${visit.user && commits.length > 0 && html`<p><a class="button primary" href="${home}/-/merge_requests/new?${new URLSearchParams({ 'merge_request[source_branch]': to, 'merge_request[target_branch]': from }).toString()}">New merge request</a></p>`}<h2>Changes</h2>${compared.compare_timeout && html`<p class="notice">The difference is too large to display.</p>`}${await diffFiles(shown.body, { visit, home, before: base?.id, sha: to, whole, all, ...preferred })}${pager(visit, shown)}`;
  return inProject(context, { title: `${from} ${dots} ${to}`, tab: 'commits', body, shortcuts: changesShortcuts });
}
