import { importedText, type Moved, People } from '../../content/public.ts';
import type { HostClient } from '../../host-client/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type HostaOptions, type HostaUser, hostaClient } from '../api.ts';

/** What every stage has at hand. */
export interface HostaContext {
  readonly options: HostaOptions;
  readonly client: HostClient;
  readonly people: People;
  /** `/repos/owner/name`. */
  readonly base: string;
  text(body: string | null | undefined): string;
  idOf(user: HostaUser | null | undefined): Promise<number>;
}

export function contextOf(run: ImportRun): HostaContext {
  const options = run.options<HostaOptions>();
  const client = hostaClient(run.services, options.api, options.token, true);
  const people = new People(run, new URL(options.cloneUrl).origin);
  const moved: Moved = {
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
        return user ? nameOf(client, user.login, run.signal) : null;
      }),
  };
}

async function nameOf(client: HostClient, login: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { body } = await client.get<{ name?: string | null }>(`/users/${encodeURIComponent(login)}`, { signal });
    return body.name || login;
  } catch (error) {
    if (error instanceof HostError && error.status === 404) return login;
    throw error;
  }
}
