import { Unprocessable } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';

export const checkStatuses = ['pending', 'passed', 'failed'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** Period after which a check that responded with `pending` counts as failed. */
const pendingTimeoutMs = 2 * 60_000;

/** Status of a check: its response for the head; pending if there is none yet. */
export function statusOf(
  response: { readonly status: CheckStatus; readonly answered_at: number } | undefined,
  now: number,
): CheckStatus {
  if (response === undefined) return 'pending';
  const late = response.status === 'pending' && now - response.answered_at > pendingTimeoutMs;
  return late ? 'failed' : response.status;
}

/** Whether a check with these protected branches applies to a target branch. */
export function appliesTo(branches: readonly { readonly name: string }[], target: string): boolean {
  return branches.length === 0 || branches.some(({ name }) => matchesWildcard(name, target));
}

const maxLength = 255;
const titles = { name: 'Name', external_url: 'External url', shared_secret: 'Shared secret' } as const;

/** Rejects blank and too long values, with all errors at once. */
export function checkTexts(texts: { readonly [K in keyof typeof titles]?: string | null | undefined }): void {
  const problems = Object.entries(titles).flatMap(([field, title]) => {
    const text = texts[field as keyof typeof titles];
    if (text === undefined || text === null) return [];
    if (text.trim() === '') return field === 'shared_secret' ? [] : [`${title} can't be blank`];
    const long = lengthProblem(text, maxLength);
    return long === undefined ? [] : [`${title} ${long}`];
  });
  if (problems.length > 0) throw new Unprocessable(problems);
}
