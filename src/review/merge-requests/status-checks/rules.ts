import { Unprocessable } from '../../../platform/http/errors.ts';
import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';

export const answers = ['pending', 'passed', 'failed'] as const;
export type Answer = (typeof answers)[number];

/** Whoever says that they are still looking has so long to say more. */
const patienceMs = 2 * 60_000;

/** How a check stands: what it said of the head, and pending until it has said something. */
export function statusOf(
  response: { readonly status: Answer; readonly answered_at: number } | undefined,
  now: number,
): Answer {
  if (response === undefined) return 'pending';
  const late = response.status === 'pending' && now - response.answered_at > patienceMs;
  return late ? 'failed' : response.status;
}

/** Whether a check for these protected branches is asked about what goes into a branch. */
export function isAskedFor(branches: readonly { readonly name: string }[], target: string): boolean {
  return branches.length === 0 || branches.some(({ name }) => matchesWildcard(name, target));
}

const longest = 255;
const titles = { name: 'Name', external_url: 'External url', shared_secret: 'Shared secret' } as const;

/** Refuses texts that are empty or too long, all at once. */
export function checkTexts(texts: { readonly [K in keyof typeof titles]?: string | null | undefined }): void {
  const problems = Object.entries(titles).flatMap(([field, title]) => {
    const text = texts[field as keyof typeof titles];
    if (text === undefined || text === null) return [];
    if (text.trim() === '') return field === 'shared_secret' ? [] : [`${title} can't be blank`];
    const long = tooLong(text, longest);
    return long === undefined ? [] : [`${title} ${long}`];
  });
  if (problems.length > 0) throw new Unprocessable(problems);
}
