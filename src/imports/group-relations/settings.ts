import { projectCreationNumbers, subgroupCreationLevels } from '../../access/namespaces/creation-levels.ts';
import { type GroupSettings, groupSettingParams } from '../../namespaces/groups/public.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { checkParams } from '../../platform/http/params.ts';

/** Settings that mean nothing elsewhere: addresses, numbers of others, and what a place may cost. */
const ofThePlace =
  /^(?:max_|repository_size|shared_runners|extra_shared|step_up|file_template|unique_project|ip_restriction|allowed_email)/;

type Told = Readonly<Record<string, unknown>>;

/** The settings of a group as its file has them; who may create in it is told in numbers, as GitLab does. */
export function settingsToTell(settings: GroupSettings): Record<string, unknown> {
  const told = Object.entries(settings).filter(([name, value]) => value !== null && !ofThePlace.test(name));
  return {
    ...Object.fromEntries(told),
    project_creation_level: projectCreationNumbers.indexOf(settings.project_creation_level),
    subgroup_creation_level: subgroupCreationLevels.indexOf(settings.subgroup_creation_level),
  };
}

/** The settings that a file has, each as a request would have to send it; what no request could send is left out. */
export function settingsTold(attributes: Told): Record<string, unknown> {
  const { project_creation_level: project, subgroup_creation_level: subgroup } = attributes;
  const given: Told = {
    ...attributes,
    ...(typeof project === 'number' ? { project_creation_level: projectCreationNumbers[project] } : {}),
    ...(typeof subgroup === 'number' ? { subgroup_creation_level: subgroupCreationLevels[subgroup] } : {}),
  };
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(groupSettingParams)) {
    if (given[name] == null || !Object.hasOwn(given, name) || ofThePlace.test(name)) continue;
    try {
      Object.assign(settings, checkParams({ [name]: reader }, [], given));
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
    }
  }
  return settings;
}
