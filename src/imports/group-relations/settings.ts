import { projectCreationNumbers, subgroupCreationLevels } from '../../access/namespaces/creation-levels.ts';
import { type GroupSettings, groupSettingParams } from '../../namespaces/groups/public.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { checkParams } from '../../platform/http/params.ts';

/** Settings specific to an instance: addresses, IDs of other objects, and limits. */
const instanceSpecific =
  /^(?:max_|repository_size|shared_runners|extra_shared|step_up|file_template|unique_project|ip_restriction|allowed_email)/;

type Attributes = Readonly<Record<string, unknown>>;

/** Settings of a group for its export, with creation levels as numbers like in GitLab. */
export function exportedSettings(settings: GroupSettings): Record<string, unknown> {
  const exported = Object.entries(settings).filter(([name, value]) => value !== null && !instanceSpecific.test(name));
  return {
    ...Object.fromEntries(exported),
    project_creation_level: projectCreationNumbers.indexOf(settings.project_creation_level),
    subgroup_creation_level: subgroupCreationLevels.indexOf(settings.subgroup_creation_level),
  };
}

/** Settings in an export, as parameters of an update request. Unknown and invalid ones are left out. */
export function importedSettings(attributes: Attributes): Record<string, unknown> {
  const { project_creation_level: project, subgroup_creation_level: subgroup } = attributes;
  const values: Attributes = {
    ...attributes,
    ...(typeof project === 'number' ? { project_creation_level: projectCreationNumbers[project] } : {}),
    ...(typeof subgroup === 'number' ? { subgroup_creation_level: subgroupCreationLevels[subgroup] } : {}),
  };
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(groupSettingParams)) {
    if (values[name] == null || !Object.hasOwn(values, name) || instanceSpecific.test(name)) continue;
    try {
      Object.assign(settings, checkParams({ [name]: reader }, [], values));
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
    }
  }
  return settings;
}
