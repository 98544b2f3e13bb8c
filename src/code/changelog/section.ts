import { type Listed, shortTitle } from './history.ts';
import { fillTemplate } from './template/fill.ts';
import { parseTemplate } from './template/parse.ts';
import type { TemplateNode, TemplateRecord } from './template/template.ts';
import { compareSemantic } from './version.ts';

/** What is known of the one who wrote a commit. */
export interface Author {
  readonly username: string;
  readonly contributor: boolean;
  /** To be named in the changelog. */
  readonly credit: boolean;
}

/** The merge request that brought a commit. */
export interface Brought {
  readonly reference: string;
  readonly web_url: string;
}

/** Where the commits of a changelog are. */
export interface Surroundings {
  readonly fullPath: string;
  readonly projectUrl: string;
  /** By the id of the commit. */
  readonly authors: ReadonlyMap<string, Author>;
  readonly mergeRequests: ReadonlyMap<string, Brought>;
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

/** The form of a changelog unless the configuration has its own. */
export const standardTemplate: readonly TemplateNode[] = parseTemplate(standard);

/** The commits by category: those that are configured in their order, then others as they turn up. */
export function categorize(
  listed: readonly Listed[],
  titles: ReadonlyMap<string, string>,
  around: Surroundings,
): TemplateRecord {
  const entries = new Map<string, TemplateRecord[]>([...titles.values()].map((title) => [title, []]));
  for (const each of listed) {
    const title = titles.get(each.category) ?? each.category;
    const group = entries.get(title) ?? [];
    group.push(entryOf(each, around));
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

function entryOf({ commit, trailers }: Listed, around: Surroundings): TemplateRecord {
  const author = around.authors.get(commit.oid);
  const mergeRequest = around.mergeRequests.get(commit.oid);
  return {
    title: shortTitle(commit.message),
    commit: {
      reference: `${around.fullPath}@${commit.oid}`,
      web_url: `${around.projectUrl}/-/commit/${commit.oid}`,
      trailers,
    },
    ...(author
      ? { author: { reference: `@${author.username}`, contributor: author.contributor, credit: author.credit } }
      : {}),
    ...(mergeRequest ? { merge_request: { ...mergeRequest } } : {}),
  };
}

/** The section of one version. Its head is always of this form: by it the next section finds its place. */
export function renderSection(
  version: string,
  date: string,
  template: readonly TemplateNode[],
  data: TemplateRecord,
): string {
  return `## ${version} (${date})\n\n${fillTemplate(template, data).trim()}\n\n`;
}

const head = /^##\s+v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]*)?)/;

/** Whether a changelog has the section of a version. */
export function hasSection(content: string, version: string): boolean {
  return content.split('\n').some((line) => head.exec(line)?.[1] === version);
}

/** Puts a section in front of that of the next lower version, or at the end. */
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
