import type { Services } from './services.ts';

/** The host, with its port, that names of images begin with; undefined where there is no registry. */
export function registryHost({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): string | undefined {
  return config.registry === 'off' ? undefined : new URL(config.registryUrl ?? externalUrl).host;
}

/** Whether images of another registry are pulled through groups. */
export const hasProxy = ({ config }: Pick<Services, 'config'>) =>
  config.registry === 'on' && config.dependencyProxy === 'on';

/** The host and port that images are pulled through groups from; undefined where they are not. */
export function proxyServer({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): string | undefined {
  if (!hasProxy({ config })) return undefined;
  const { protocol, hostname, port } = new URL(externalUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** What the names of images that are pulled through a group go on with, behind its host. */
export const proxiedPath = (groupPath: string) => `${groupPath.toLowerCase()}/dependency_proxy/containers`;

/** What the names of a project's images begin with: container clients take small letters alone. */
export function imagePrefix(services: Pick<Services, 'config' | 'externalUrl'>, fullPath: string): string | undefined {
  const host = registryHost(services);
  return host === undefined ? undefined : `${host}/${fullPath.toLowerCase()}`;
}
