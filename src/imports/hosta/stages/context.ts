import { importedText, type RepositoryUrlChange, requestOrFail, UserMapper } from '../../content/public.ts';
import type { HostClient } from '../../host-client/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type HostaOptions, hostaClient } from '../api.ts';
import { type HostaUser, hostaProfile } from '../records.ts';

/** Context shared by all stages. */
export interface HostaContext {
  readonly options: HostaOptions;
  readonly client: HostClient;
  readonly people: UserMapper;
  /** `/repos/owner/name`. */
  readonly base: string;
  text(body: string | null | undefined): string;
  idOf(user: HostaUser | null | undefined): Promise<number>;
}

export function contextOf(run: ImportRun): HostaContext {
  const options = run.options<HostaOptions>();
  const client = hostaClient(run.services, options.api, options.token, true);
  const people = new UserMapper(run, new URL(options.cloneUrl).origin);
  const moved: RepositoryUrlChange = {
    from: options.cloneUrl.replace(/\.git$/, ''),
    to: `${run.services.externalUrl}/${run.namespace.full_path}/${run.project.path}`,
  };
  return {
    options,
    client,
    people,
    base: `/repos/${options.fullName.split('/').map(encodeURIComponent).join('/')}`,
    text: (body) => importedText(body, moved),
    idOf: (user) =>
      people.idOf(user ? { id: user.id, username: user.login } : null, async () => {
        return user ? nameOf(run, client, user.login) : null;
      }),
  };
}

async function nameOf(run: ImportRun, client: HostClient, login: string): Promise<string | null> {
  try {
    const place = `/users/${encodeURIComponent(login.toWellFormed())}`;
    const { body } = await requestOrFail(run, client, place, hostaProfile);
    return body.name || login;
  } catch (error) {
    if (error instanceof HostError && error.status === 404) return login;
    throw error;
  }
}
