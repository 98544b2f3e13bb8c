import type { Services } from '../../../access/services.ts';
import type { CiJobRow } from '../../../ci/jobs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { openSecrets } from '../hooks/secrets.ts';
import { integrationsOfProjects } from '../hooks/store.ts';
import { isAllowed } from '../integrations/allowed.ts';
import { settingsOf } from '../integrations/settings.ts';
import { externalServices } from './kinds.ts';

/** The variables with which jobs sign in to the Harbor registry of their project. */
export async function harborVariables(services: Services, db: Reader, { project_id }: Pick<CiJobRow, 'project_id'>) {
  const hook = (await integrationsOfProjects(db, 'harbor', [project_id])).get(project_id);
  if (hook?.active !== 1 || !(await isAllowed(services, 'harbor'))) return [];
  const settings = settingsOf(hook);
  const url = externalServices.harbor.address(settings);
  const { host } = new URL(url);
  const { password = '' } = openSecrets(services, hook, 'url_variables');
  const shown = {
    HARBOR_URL: url,
    HARBOR_HOST: host,
    HARBOR_OCI: `oci://${host}`,
    HARBOR_PROJECT: settings.project_name ?? '',
    HARBOR_USERNAME: settings.username ?? '',
  };
  return [
    // Names of robot accounts contain a dollar sign.
    ...Object.entries(shown).map(([key, value]) => ({ key, value, raw: true })),
    { key: 'HARBOR_PASSWORD', value: password, raw: true, public: false, masked: true },
  ];
}
