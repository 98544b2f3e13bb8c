import type { Services } from '../../../access/services.ts';
import type { Namespace } from '../../../access/tables.ts';

const prefixes = new WeakMap<Services, string>();

/** What stands before a path in the addresses that git uses over SSH. */
function sshPrefix(services: Services): string {
  let prefix = prefixes.get(services);
  if (prefix === undefined) {
    const host = new URL(services.externalUrl).hostname;
    const port = services.config.sshPort ?? 22;
    prefix = port === 22 ? `git@${host}:` : `ssh://git@${host}:${port}/`;
    prefixes.set(services, prefix);
  }
  return prefix;
}

/** The addresses of a project: for people, for git over HTTP and for git over SSH. */
export function projectUrls(services: Services, fullPath: string): { web: string; http: string; ssh: string } {
  const web = `${services.externalUrl}/${fullPath}`;
  return { web, http: `${web}.git`, ssh: `${sshPrefix(services)}${fullPath}.git` };
}

/** The page of a group or a user. */
export function namespaceUrl(externalUrl: string, namespace: Pick<Namespace, 'kind' | 'full_path'>): string {
  return `${externalUrl}/${namespace.kind === 'group' ? 'groups/' : ''}${namespace.full_path}`;
}
