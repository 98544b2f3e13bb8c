import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { basicUsers } from '../../people/users/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { instant } from '../../platform/http/schema.ts';
import { presentCommit } from '../commits/public.ts';
import { encodePath, projectUrl, repositoryOf } from '../repository/public.ts';
import { presentLink } from './links/present.ts';
import { milestonesOf } from './planning.ts';
import type { ReleaseEntity } from './schema.ts';
import { linksAndEvidencesOf } from './store.ts';
import type { ReleaseEvidenceRow, ReleaseRow } from './tables.ts';

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

/** Presents a page of releases of one project. */
export function presentReleases(
  services: Services,
  subject: ProjectSubject,
  rows: readonly ReleaseRow[],
  htmlFor?: Actor,
): Promise<ReleaseEntity[]> {
  return presentReleasesOf(services, () => subject, rows, htmlFor);
}

/** Presents a page of releases of any projects, with one query each for authors, links and evidences. */
export async function presentReleasesOf(
  services: Services,
  subjectOf: (row: ReleaseRow) => ProjectSubject,
  rows: readonly ReleaseRow[],
  htmlFor?: Actor,
): Promise<ReleaseEntity[]> {
  const ids = rows.map((row) => row.id);
  const [parts, authors, commits, milestones, html] = await Promise.all([
    linksAndEvidencesOf(services.db.read, ids),
    basicUsers(
      services.db.read,
      rows.map((row) => row.author_id),
      services.externalUrl,
    ),
    releasedCommits(services, subjectOf, rows),
    milestonesOf(services, services.db.read, ids),
    htmlFor && notesAsHtml(services, htmlFor, subjectOf, rows),
  ]);
  const linksOf = Map.groupBy(parts.links, (link) => link.release_id);
  return rows.map((row) => {
    const subject = subjectOf(row);
    const readsCode = subject.can('read_code');
    const url = projectUrl(services, subject);
    const links = linksOf.get(row.id) ?? [];
    const author = row.author_id === null ? undefined : authors.get(row.author_id);
    const commit = commits.get(row.id);
    return {
      ...(readsCode ? { tag_name: row.tag } : {}),
      description: row.description,
      name: readsCode ? row.name : `Release-${row.id}`,
      ...(html ? { description_html: html.get(row.id) ?? '' } : {}),
      created_at: instant(row.created_at),
      released_at: instant(row.released_at),
      upcoming_release: row.released_at > Date.now(),
      ...(author ? { author } : {}),
      ...(commit
        ? { commit: presentCommit(commit, url), commit_path: `/${subject.fullPath}/-/commit/${commit.oid}` }
        : {}),
      milestones: subject.can('read_milestone') ? milestones(row.id) : [],
      ...(readsCode ? { tag_path: `/${subject.fullPath}/-/tags/${encodePath(row.tag)}` } : {}),
      assets: {
        count: links.length + (readsCode ? formats.length : 0),
        ...(readsCode ? { sources: sourcesOf(subject, url, row.tag) } : {}),
        links: links.map((link) => presentLink(link, url, row.tag)),
      },
      ...(readsCode ? { evidences: evidencesOf(parts.evidences, url, row) } : {}),
      _links: readsCode ? pagesOf(subject, url, row.tag) : {},
    };
  });
}

/** Renders release notes as HTML for a reader, by release ID. */
async function notesAsHtml(
  services: Services,
  reader: Actor,
  subjectOf: (row: ReleaseRow) => ProjectSubject,
  rows: readonly ReleaseRow[],
): Promise<ReadonlyMap<number, string>> {
  const [render] = services.contributions('releases.html');
  const found = new Map<number, string>();
  if (!render) return found;
  for (const [subject, own] of Map.groupBy(rows, subjectOf)) {
    const notes = own.map((row) => row.description ?? '');
    const html = await render(services, reader, subject, notes);
    for (const [i, row] of own.entries()) found.set(row.id, html[i] ?? '');
  }
  return found;
}

/** Returns the commits of releases by release ID, as far as the caller can read the code. */
async function releasedCommits(
  services: Services,
  subjectOf: (row: ReleaseRow) => ProjectSubject,
  rows: readonly ReleaseRow[],
): Promise<ReadonlyMap<number, Commit>> {
  const found = new Map<number, Commit>();
  const readable = rows.filter((row) => subjectOf(row).can('read_code'));
  const lookUps = [...Map.groupBy(readable, subjectOf)].map(async ([subject, own]) => {
    const objects = services.git.objects(repositoryOf(services, subject));
    const commits = await objects.commits(own.map((row) => row.sha ?? ''));
    for (const [i, row] of own.entries()) if (commits[i]) found.set(row.id, commits[i]);
  });
  await Promise.all(lookUps);
  return found;
}

function sourcesOf(subject: ProjectSubject, url: string, tag: string) {
  const file = `${subject.project.path}-${tag.replaceAll('/', '-')}`;
  return formats.map((format) => ({
    format,
    url: `${url}/-/archive/${encodePath(tag)}/${encodeURIComponent(file)}.${format}`,
  }));
}

function evidencesOf(all: readonly Omit<ReleaseEvidenceRow, 'summary'>[], url: string, row: ReleaseRow) {
  return all
    .filter((evidence) => evidence.release_id === row.id)
    .map(({ id, sha, created_at }) => ({
      sha,
      filepath: `${url}/-/releases/${encodeURIComponent(row.tag)}/evidences/${id}.json`,
      collected_at: instant(created_at),
    }));
}

function pagesOf(subject: ProjectSubject, url: string, tag: string) {
  const self = `${url}/-/releases/${encodeURIComponent(tag)}`;
  const list = (kind: string, state: string) =>
    `${url}/-/${kind}?release_tag=${encodeURIComponent(tag)}&scope=all&state=${state}`;
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(subject.can('admin_release') ? { edit_url: `${self}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self,
  };
}
