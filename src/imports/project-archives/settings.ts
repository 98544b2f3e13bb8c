import { settingParams } from '../../namespaces/projects/public.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { checkParams } from '../../platform/http/params.ts';
import type { Fields } from './fields.ts';

/** Settings derived from the location of a project, or that must be enabled explicitly. */
const excluded =
  /^(?:mirror|only_mirror|shared_runners|group_runners|import_|repository_(?!access_level)|service_desk|max_|ci_job_token)/;

/** Settings in an archive, as parameters of an update request. Unknown and invalid ones are left out. */
export function settingsIn(attributes: Fields, features: Fields = {}): Record<string, unknown> {
  const values = { ...attributes, ...ofGitLab(attributes), ...levelsIn(features) };
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(settingParams('update'))) {
    if (Object.hasOwn(values, name) && !excluded.test(name))
      Object.assign(settings, readOne({ [name]: reader }, values));
  }
  return settings;
}

function readOne(reader: Parameters<typeof checkParams>[0], values: Fields): Fields {
  try {
    return checkParams(reader, [], values);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return {};
  }
}

/** Attributes whose names in GitLab archives differ from the API. */
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

/** Feature access levels, which GitLab archives store as a separate relation with numeric values. */
function levelsIn(features: Fields): Fields {
  const levels = Object.entries(features).flatMap(([name, level]) => {
    const word = name.endsWith('_access_level') && typeof level === 'number' ? levelWords[level] : undefined;
    return word === undefined ? [] : [[name, word]];
  });
  return Object.fromEntries(levels);
}
