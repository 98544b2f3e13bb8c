import { trimCharacters } from '../../../platform/trim.ts';

const maxLength = 100;

interface Titled {
  readonly iid: number;
  readonly title: string;
  readonly confidential: number;
}

/** Converts a text to a part of a branch name. */
function toBranchPart(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-');
  return trimCharacters(words.slice(0, maxLength), '-');
}

/**
 * Default branch name for an issue: the project's template, or IID and title; names for confidential issues do not
 * reveal the title.
 */
export function branchFor({ iid, title, confidential }: Titled, template: string | null): string {
  if (confidential === 1) return `${iid}-confidential-issue`;
  const words = toBranchPart(title);
  if (template) return template.replaceAll('%{id}', `${iid}`).replaceAll('%{title}', () => words);
  return words === '' ? `${iid}` : `${iid}-${words}`;
}
