import { BadRequest, Invalid } from '../../platform/http/errors.ts';
import { checkDescription, checkTitle } from '../issues/public.ts';
import { readColor } from '../labels/public.ts';
import type { EpicChangeParams } from './schema.ts';
import type { EpicRow } from './tables.ts';

export function checkColor(text: string): string {
  const color = readColor(text);
  if (color === undefined) throw new Invalid({ color: ['must be a valid color code'] });
  return color;
}

type Dates = Partial<
  Pick<EpicRow, 'start_date_fixed' | 'start_date_is_fixed' | 'due_date_fixed' | 'due_date_is_fixed'>
>;

/**
 * Returns the fixed dates that a request sets. The deprecated names `start_date` and `end_date` also mark the date as
 * fixed.
 */
export function readDates(params: EpicChangeParams): Dates {
  const dates: Dates = {};
  if (params.start_date !== undefined) {
    dates.start_date_fixed = params.start_date;
    dates.start_date_is_fixed = 1;
  }
  if (params.end_date !== undefined) {
    dates.due_date_fixed = params.end_date;
    dates.due_date_is_fixed = 1;
  }
  if (params.start_date_fixed !== undefined) dates.start_date_fixed = params.start_date_fixed;
  if (params.due_date_fixed !== undefined) dates.due_date_fixed = params.due_date_fixed;
  if (params.start_date_is_fixed !== undefined) dates.start_date_is_fixed = params.start_date_is_fixed ? 1 : 0;
  if (params.due_date_is_fixed !== undefined) dates.due_date_is_fixed = params.due_date_is_fixed ? 1 : 0;
  return dates;
}

/** Rejects an epic whose start date is after its due date. */
export function checkDates(epic: Dates): void {
  const begins = epic.start_date_is_fixed === 1 ? epic.start_date_fixed : null;
  const ends = epic.due_date_is_fixed === 1 ? epic.due_date_fixed : null;
  if (begins && ends && begins > ends) {
    throw new BadRequest('Start date must be before due date');
  }
}

/** Returns the changed columns of the epic row. */
export function columnChanges(epic: EpicRow, params: EpicChangeParams): Partial<Omit<EpicRow, 'id'>> {
  const change: Partial<Omit<EpicRow, 'id'>> = readDates(params);
  if (params.title !== undefined) change.title = checkTitle(params.title);
  if (params.description !== undefined) change.description = checkDescription(params.description ?? '');
  if (params.color !== undefined) change.color = checkColor(params.color);
  if (params.confidential !== undefined) change.confidential = params.confidential ? 1 : 0;
  checkDates({ ...epic, ...change });
  const entries = Object.entries(change).filter(([name, value]) => epic[name as keyof EpicRow] !== value);
  return Object.fromEntries(entries) as Partial<Omit<EpicRow, 'id'>>;
}
