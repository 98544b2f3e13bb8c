import { type ChangelogCommit, shortTitle } from './history.ts';
import { fillTemplate } from './template/fill.ts';
import { parseTemplate } from './template/parse.ts';
import type { TemplateNode, TemplateRecord } from './template/template.ts';
import { compareSemantic } from './version.ts';

/** The author of a commit, as changelogs show them. */
export interface Author {
  readonly username: string;
  readonly contributor: boolean;
  /** Whether to credit the author in the changelog. */
  readonly credit: boolean;
}

/** The merge request that introduced a commit. */
export interface ChangelogMergeRequest {
  readonly reference: string;
  readonly web_url: string;
}

/** Data about the commits of a changelog. */
export interface ChangelogContext {
  readonly fullPath: string;
  readonly projectUrl: string;
  /** By commit ID. */
  readonly authors: ReadonlyMap<string, Author>;
  readonly mergeRequests: ReadonlyMap<string, ChangelogMergeRequest>;
}

const standard = `{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.web_url }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`;

/** The default template. */
export const standardTemplate: readonly TemplateNode[] = parseTemplate(standard);

/** Groups commits by category: configured categories in their order, then others in order of appearance. */
export function categorize(
  listed: readonly ChangelogCommit[],
  titles: ReadonlyMap<string, string>,
  context: ChangelogContext,
): TemplateRecord {
  const entries = new Map<string, TemplateRecord[]>([...titles.values()].map((title) => [title, []]));
  for (const each of listed) {
    const title = titles.get(each.category) ?? each.category;
    const group = entries.get(title) ?? [];
    group.push(entryOf(each, context));
    entries.set(title, group);
  }
  const filled = [...entries].filter(([, group]) => group.length > 0);
  return {
    categories: filled.map(([title, group]) => ({
      title,
      count: group.length,
      single_change: group.length === 1,
      entries: group,
    })),
  };
}

function entryOf({ commit, trailers }: ChangelogCommit, context: ChangelogContext): TemplateRecord {
  const author = context.authors.get(commit.oid);
  const mergeRequest = context.mergeRequests.get(commit.oid);
  return {
    title: shortTitle(commit.message),
    commit: {
      reference: `${context.fullPath}@${commit.oid}`,
      web_url: `${context.projectUrl}/-/commit/${commit.oid}`,
      trailers,
    },
    ...(author
      ? { author: { reference: `@${author.username}`, contributor: author.contributor, credit: author.credit } }
      : {}),
    ...(mergeRequest ? { merge_request: { ...mergeRequest } } : {}),
  };
}

/** Renders the section of a version. The heading has a fixed format, because `insertSection` looks for it. */
export function renderSection(
  version: string,
  date: string,
  template: readonly TemplateNode[],
  data: TemplateRecord,
): string {
  return `## ${version} (${date})\n\n${fillTemplate(template, data).trim()}\n\n`;
}

const head = /^##\s+v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]*)?)/;

/** Whether a changelog already contains the section of a version. */
export function hasSection(content: string, version: string): boolean {
  return content.split('\n').some((line) => head.exec(line)?.[1] === version);
}

/** Inserts a section before that of the next lower version, or appends it. */
export function insertSection(content: string, version: string, section: string): string {
  const lines = content.split(/(?<=\n)/);
  const heads = lines.map((line) => head.exec(line)?.[1]);
  const lower = heads
    .filter((each) => each !== undefined)
    .filter((each) => compareSemantic(each, version) < 0)
    .sort(compareSemantic)
    .at(-1);
  if (lower !== undefined) {
    const at = heads.indexOf(lower);
    return [...lines.slice(0, at), section, ...lines.slice(at)].join('');
  }
  const gap = content === '' ? '' : content.endsWith('\n') ? '\n' : '\n\n';
  return `${content}${gap}${section.trimEnd()}\n`;
}
