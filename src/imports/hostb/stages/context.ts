import { userByIdentity } from '../../../people/users/public.ts';
import { importedText } from '../../content/public.ts';
import { type HostClient, HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { type HostbOptions, hostbClient, hostbPages, repositoryResource } from '../api.ts';
import { type HostbUser, lists } from '../records.ts';

/** Context shared by all stages. */
export interface HostbContext {
  readonly options: HostbOptions;
  readonly client: HostClient;
  /** `/repositories/workspace/slug`. */
  readonly place: string;
  /** Account of a user of the source host. Unknown users map to the requesting user. */
  idOf(user: HostbUser | null | undefined): Promise<number>;
  /** Imported text. It names its author if the author could not be mapped. */
  text(body: string | null | undefined, user: HostbUser | null | undefined): Promise<string>;
}

export async function contextOf(run: ImportRun): Promise<HostbContext> {
  const { services, namespace, project } = run;
  const options = run.options<HostbOptions>();
  const client = hostbClient(services, options);
  const nicknames = await nicknamesIn(run, client, options.repoPath);
  const known = new Map<string, number | undefined>();
  const personal = namespace.kind === 'user' ? namespace.owner_id : null;
  const userHere = async (user: HostbUser | null | undefined) => {
    const uuid = user?.uuid;
    if (!uuid || personal !== null) return undefined;
    if (!known.has(uuid)) known.set(uuid, (await userByIdentity(services.db.read, 'bitbucket', uuid))?.id);
    return known.get(uuid);
  };
  const moved = {
    from: options.cloneUrl.replace(/\.git$/, ''),
    to: `${services.externalUrl}/${namespace.full_path}/${project.path}`,
  };
  return {
    options,
    client,
    place: repositoryResource(options),
    idOf: async (user) => (await userHere(user)) ?? personal ?? run.userId,
    async text(body, user) {
      const by = (await userHere(user)) === undefined ? (user?.nickname ?? user?.display_name) : undefined;
      return `${by ? `*Created by: ${by}*\n\n` : ''}${importedText(withNicknames(body ?? '', nicknames), moved)}`;
    },
  };
}

const mention = /@\{([\w:-]{1,100})\}/g;

/** Replaces account IDs in mentions by nicknames. */
export function withNicknames(text: string, nicknames: ReadonlyMap<string, string>): string {
  return text.replace(mention, (whole, account: string) => `@${nicknames.get(account) ?? whole.slice(1)}`);
}

const maxMembers = 10_000;

/** Nicknames of the workspace members the credentials can read. */
async function nicknamesIn(run: ImportRun, client: HostClient, repoPath: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const [workspace = ''] = repoPath.split('/');
  const first = `/workspaces/${encodeURIComponent(workspace)}/members?pagelen=100`;
  try {
    for await (const members of hostbPages(run, client, lists.members, first)) {
      for (const { user } of members) {
        const name = user.nickname ?? user.display_name;
        if (user.account_id && name) names.set(user.account_id, name);
      }
      if (names.size >= maxMembers) break;
    }
  } catch (error) {
    if (!(error instanceof HostError && [401, 403, 404].includes(error.status))) throw error;
  }
  return names;
}
