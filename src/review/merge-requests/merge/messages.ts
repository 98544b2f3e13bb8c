/** Values available to commit message templates. */
export interface MessageFacts {
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  /** `#1 and #2`, or empty. */
  readonly issues: string;
  readonly fullReference: string;
  readonly localReference: string;
  readonly sourceProjectId: number | null;
  readonly url: string;
  /** Messages of the commits without merges, oldest first. */
  readonly commits: readonly string[];
  readonly reviewedBy: readonly string[];
  readonly approvedBy: readonly string[];
  readonly mergedBy: string;
  readonly author: string;
  readonly coAuthors: readonly string[];
}

const maxBytes = 100 * 1024;

const firstLine = (message: string) => message.split('\n', 1)[0] ?? '';
const bodyOf = (message: string) => message.split('\n').slice(1).join('\n').trim();

function bullet(message: string): string {
  if (Buffer.byteLength(message) > maxBytes) {
    return `* ${firstLine(message)}\n\n-- Skipped commit body exceeding 100KiB in size.`;
  }
  return `* ${message.trim()}`;
}

function multiline({ commits }: MessageFacts): string | undefined {
  return commits.find((message) => message.trim().includes('\n'));
}

export const trailers = (name: string, people: readonly string[]) =>
  people.map((person) => `${name}: ${person}`).join('\n');

const placeholders: Readonly<Record<string, (facts: MessageFacts) => string>> = {
  source_branch: ({ sourceBranch }) => sourceBranch,
  target_branch: ({ targetBranch }) => targetBranch,
  title: ({ title }) => title,
  issues: ({ issues }) => (issues === '' ? '' : `Closes ${issues}`),
  description: ({ description }) => description,
  reference: ({ fullReference }) => fullReference,
  local_reference: ({ localReference }) => localReference,
  source_project_id: ({ sourceProjectId }) => `${sourceProjectId ?? ''}`,
  first_commit: ({ commits }) => (commits[0] ?? '').trim(),
  first_multiline_commit: (facts) => (multiline(facts) ?? facts.title).trim(),
  first_multiline_commit_description: (facts) => bodyOf(multiline(facts) ?? ''),
  url: ({ url }) => url,
  reviewed_by: ({ reviewedBy }) => trailers('Reviewed-by', reviewedBy),
  approved_by: ({ approvedBy }) => trailers('Approved-by', approvedBy),
  merged_by: ({ mergedBy }) => mergedBy,
  merge_request_author: ({ author }) => author,
  co_authored_by: ({ coAuthors }) => trailers('Co-authored-by', coAuthors),
  all_commits: ({ commits }) => commits.map(bullet).join('\n\n'),
};

/** Value of a placeholder; undefined for an unknown one. */
type Values = (name: string) => string | undefined;

const holder = /%\{([a-z_]+)\}/g;
const onlyHolder = /^%\{([a-z_]+)\}$/;

/**
 * Removes lines that consist of an empty placeholder, including the blank line before them if another blank line or the
 * end follows.
 */
function withoutEmptyLines(template: string, standsFor: Values): string {
  const lines = template.replaceAll('\r\n', '\n').split('\n');
  const kept: string[] = [];
  for (const [index, line] of lines.entries()) {
    const name = onlyHolder.exec(line)?.[1];
    const value = name === undefined ? undefined : standsFor(name);
    if (value !== '') {
      kept.push(line);
      continue;
    }
    const next = lines[index + 1];
    if (kept.at(-1) === '' && (next === undefined || next === '')) kept.pop();
  }
  return kept.join('\n');
}

/** Replaces the placeholders of a template; unknown ones remain as text. */
export function fillPlaceholders(template: string, standsFor: Values): string {
  const text = withoutEmptyLines(template, standsFor);
  return text.replace(holder, (written, name: string) => standsFor(name) ?? written);
}

export function fillTemplate(template: string, facts: MessageFacts): string {
  return fillPlaceholders(template, (name) =>
    Object.hasOwn(placeholders, name) ? placeholders[name]?.(facts) : undefined,
  );
}

export function mergeMessage(template: string | null, facts: MessageFacts): string {
  if (template !== null) return fillTemplate(template, facts);
  const parts = [`Merge branch '${facts.sourceBranch}' into '${facts.targetBranch}'`, facts.title];
  if (facts.issues !== '') parts.push(`Closes ${facts.issues}`);
  parts.push(`See merge request ${facts.fullReference}`);
  return parts.join('\n\n');
}

export function squashMessage(template: string | null, facts: MessageFacts): string {
  return template === null ? facts.title : fillTemplate(template, facts);
}
