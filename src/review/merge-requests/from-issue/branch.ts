import { trimCharacters } from '../../../platform/trim.ts';

const longest = 100;

interface Titled {
  readonly iid: number;
  readonly title: string;
  readonly confidential: number;
}

/** A text as a part of a branch's name. */
function asWords(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-');
  return trimCharacters(words.slice(0, longest), '-');
}

/**
 * The branch that is to settle an issue: as the project's template says, or by its number and its title; what is
 * confidential gives nothing away.
 */
export function branchFor({ iid, title, confidential }: Titled, template: string | null): string {
  if (confidential === 1) return `${iid}-confidential-issue`;
  const words = asWords(title);
  if (template) return template.replaceAll('%{id}', `${iid}`).replaceAll('%{title}', () => words);
  return words === '' ? `${iid}` : `${iid}-${words}`;
}
