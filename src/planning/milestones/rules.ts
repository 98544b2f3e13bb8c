import { BadRequest } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { type ErrorMap, rubyDump } from '../../platform/http/responses/ruby-dump.ts';

const lastDay = '9999-12-31';

export interface MilestoneTexts {
  readonly title: string;
  readonly start_date: string | null;
  readonly due_date: string | null;
}

/** Validation errors of a milestone by attribute; empty if it is valid. */
export function milestoneProblems({ title, start_date, due_date }: MilestoneTexts): ErrorMap {
  const problems: Record<string, string[]> = {};
  if (title.trim() === '') problems.title = ["can't be blank"];
  const long = lengthProblem(title, 255);
  if (long !== undefined) problems.title = [long];
  for (const [name, day] of Object.entries({ start_date, due_date })) {
    if (day !== null && day > lastDay) problems[name] = [`date must not be after ${lastDay}`];
  }
  if (start_date !== null && due_date !== null && due_date <= start_date) {
    problems.due_date = ['must be greater than start date'];
  }
  return problems;
}

/** The documented error of an invalid milestone. */
export function milestoneError(verb: 'create' | 'update', problems: ErrorMap): Error {
  return BadRequest.plain(`Failed to ${verb} milestone ${rubyDump(problems)}`);
}

export const titleInUse: ErrorMap = { title: ['already being used for another group or project milestone.'] };
