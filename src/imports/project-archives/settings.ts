import { settingParams } from '../../namespaces/projects/public.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { checkParams } from '../../platform/http/params.ts';
import type { Fields } from './fields.ts';

/** Settings that follow from where a project is, or that somebody has to want here. */
const never =
  /^(?:mirror|only_mirror|shared_runners|group_runners|import_|repository_(?!access_level)|service_desk|max_|ci_job_token)/;

/** The settings that a file has, each as a request would have to send it; what no request could send is left out. */
export function settingsIn(attributes: Fields, features: Fields = {}): Record<string, unknown> {
  const given = { ...attributes, ...ofGitLab(attributes), ...levelsIn(features) };
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(settingParams('update'))) {
    if (Object.hasOwn(given, name) && !never.test(name)) Object.assign(settings, readOne({ [name]: reader }, given));
  }
  return settings;
}

function readOne(reader: Parameters<typeof checkParams>[0], given: Fields): Fields {
  try {
    return checkParams(reader, [], given);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return {};
  }
}

/** What GitLab's files say in other words than its API. */
function ofGitLab({
  merge_requests_ff_only_enabled: straight,
  merge_requests_rebase_enabled: rebased,
  build_allow_git_fetch: fetches,
}: Fields): Fields {
  const isKnown = typeof straight === 'boolean' || typeof rebased === 'boolean';
  return {
    ...(isKnown ? { merge_method: straight === true ? 'ff' : rebased === true ? 'rebase_merge' : 'merge' } : {}),
    ...(typeof fetches === 'boolean' ? { build_git_strategy: fetches ? 'fetch' : 'clone' } : {}),
  };
}

const levelWords: Readonly<Record<number, string>> = { 0: 'disabled', 10: 'private', 20: 'enabled', 30: 'public' };

/** Who has each feature: in GitLab's files a relation of its own, in numbers. */
function levelsIn(features: Fields): Fields {
  const levels = Object.entries(features).flatMap(([name, level]) => {
    const word = name.endsWith('_access_level') && typeof level === 'number' ? levelWords[level] : undefined;
    return word === undefined ? [] : [[name, word]];
  });
  return Object.fromEntries(levels);
}
