import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import type { RunnerChangeParams } from './schema.ts';

/** Returns the validation errors of runner attributes, with GitLab's messages. */
function problemsOf({ maximum_timeout, maintenance_note, description, tag_list }: RunnerChangeParams) {
  const problems: Record<string, string[]> = {};
  if (maximum_timeout !== undefined && maximum_timeout !== null && maximum_timeout < 600) {
    problems.maximum_timeout = ['needs to be at least 10 minutes'];
  }
  const longNote = lengthProblem(maintenance_note ?? '', 1024);
  if (longNote !== undefined) problems.maintenance_note = [longNote];
  const longText = description === undefined ? undefined : lengthProblem(description, 1024);
  if (longText !== undefined) problems.description = [longText];
  if (tag_list && cleanTags(tag_list).length > 50) {
    problems.tags_list = ['Too many tags specified. Please limit the number of tags to 50'];
  }
  return problems;
}

const cleanTags = (tags: readonly string[]) => [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];

/** Validates attributes and maps them to columns. */
export function columnsOf(params: RunnerChangeParams) {
  const problems = problemsOf(params);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const { maximum_timeout, maintenance_note, description, tag_list } = params;
  const flags = {
    paused: params.paused ?? (params.active === undefined ? undefined : !params.active),
    locked: params.locked,
    run_untagged: params.run_untagged,
  };
  const set = Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag ? 1 : 0]]));
  return {
    ...(Object.fromEntries(set) as { paused?: number; locked?: number; run_untagged?: number }),
    ...(description === undefined ? {} : { description }),
    ...(maintenance_note === undefined ? {} : { maintenance_note }),
    ...(maximum_timeout === undefined ? {} : { maximum_timeout }),
    ...(params.access_level === undefined ? {} : { access_level: params.access_level }),
    ...(tag_list === undefined ? {} : { tag_list: JSON.stringify(cleanTags(tag_list)) }),
  };
}

/** A runner that takes no untagged jobs must have tags. */
export function requireTags({ run_untagged, tag_list }: { run_untagged?: number; tag_list?: string }): void {
  if (run_untagged !== 0 || storedStrings(tag_list ?? '[]').length > 0) return;
  throw new Invalid({ tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] });
}

/** The first validation error as a sentence, e.g. `Maximum timeout needs to be at least 10 minutes`. */
export function firstProblem(params: RunnerChangeParams): string | undefined {
  const [problem] = Object.entries(problemsOf(params));
  if (!problem) return undefined;
  const words = problem[0].replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)} ${problem[1][0]}`;
}
