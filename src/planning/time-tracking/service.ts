import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import type { Target } from '../target.ts';
import { MAX_TIMELOG_SUMMARY_LENGTH, MAX_TOTAL_TIME_SPENT, parseDuration } from './duration.ts';
import { deleteTimelogs, insertTimelog } from './store.ts';

/** Parses an estimate; the error message is a Ruby hash dump, exactly as in GitLab. */
export function readEstimate(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds >= 0) return seconds;
  const reason = 'Time estimate must have a valid format and be greater than or equal to zero.';
  throw new BadRequest(
    rubyDump({ reason: [reason] })
      .replace('=>[', '=>')
      .replace(']}', '}'),
  );
}

/** Parses the time spent; negative values subtract time. */
export function readSpent(text: string, total: number, summary: string | undefined): number {
  const seconds = parseDuration(text);
  if (seconds === undefined || seconds === 0) throw new Invalid({ 'timelogs.time_spent': ["can't be blank"] });
  const long = summary === undefined ? undefined : lengthProblem(summary, MAX_TIMELOG_SUMMARY_LENGTH);
  if (long !== undefined) throw new Invalid({ 'timelogs.summary': [long] });
  return checkSpent(seconds, total);
}

/** Validates time to be added to or subtracted from the total spent before. */
export function checkSpent(seconds: number, total: number): number {
  if (total + seconds < 0) throw new Invalid({ base: ['Time to subtract exceeds the total time spent'] });
  if (total + seconds > MAX_TOTAL_TIME_SPENT) {
    throw new Invalid({ 'timelogs.base': ['Total time spent cannot exceed a year.'] });
  }
  return seconds;
}

export async function logTime(
  trx: Writer,
  target: Target,
  userId: number,
  spent: { readonly seconds: number; readonly summary?: string | undefined; readonly at: number },
): Promise<void> {
  if (target.project_id === null) throw new Error('time can only be logged on items of projects');
  await insertTimelog(trx, {
    target_type: target.type,
    target_id: target.id,
    project_id: target.project_id,
    user_id: userId,
    seconds: spent.seconds,
    summary: spent.summary ?? null,
    spent_at: spent.at,
    created_at: Date.now(),
  });
}

/** Deletes all time logged on a target. */
export function deleteSpentTime(trx: Writer, target: Target): Promise<void> {
  return deleteTimelogs(trx, target.type, [target.id]);
}
